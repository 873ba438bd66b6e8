public import Foundation

extension StoreDirectory {
    /// The file URL for what stands behind the scheme in a store's URL, such as `/var/lib/app` in
    /// `lmdb:/var/lib/app`.
    ///
    /// A relative path counts from the working directory.
    public static func url(
        _ location: String, scheme: String
    ) throws(DataStoreError) -> URL {
        guard !location.isEmpty else {
            throw DataStoreError(
                .invalidStoreURL, in: "open",
                "“\(scheme):” needs the path of a directory behind it, as in \(scheme):/var/lib/app."
            )
        }
        return URL(filePath: location, directoryHint: .isDirectory)
    }
}
