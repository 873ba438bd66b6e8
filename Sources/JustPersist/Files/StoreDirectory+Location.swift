public import Foundation

extension StoreDirectory {
    /// The file URL of the location in a store's URL, the part between the scheme and the options, such as
    /// `/var/lib/app` in `lmdb:/var/lib/app`.
    ///
    /// A relative path is resolved against the working directory, and one that begins with `~/` against the user's
    /// home directory. A location with two slashes, as in `lmdb:///var/lib/what%3F`, is the path of a URL, and its
    /// percent-encoding is removed. ``DataStores`` describes all forms.
    ///
    /// - Throws: `.invalidStoreURL` if there is no path, a host other than this one, or an invalid percent-encoding.
    public static func url(
        _ location: String, scheme: String
    ) throws(DataStoreError) -> URL {
        let path = location.hasPrefix("//") ? try decodedPath(location, scheme) : location
        guard !path.isEmpty else {
            throw DataStoreError(
                .invalidStoreURL, in: "open",
                "“\(scheme):” needs the path of a directory after it, as in \(scheme):/var/lib/app."
            )
        }
        if location == "~" || location.hasPrefix("~/") {
            return URL(filePath: NSHomeDirectory(), directoryHint: .isDirectory)
                .appending(path: String(path.dropFirst()), directoryHint: .isDirectory)
        }
        return URL(filePath: path, directoryHint: .isDirectory)
    }

    /// The path in `//localhost/path` or `///path`.
    private static func decodedPath(
        _ location: String, _ scheme: String
    ) throws(DataStoreError) -> String {
        let authority = location.dropFirst(2)
        let host = authority.prefix { $0 != "/" }
        let path = authority[host.endIndex...]
        guard host.isEmpty || host.lowercased() == "localhost" else {
            throw DataStoreError(
                .invalidStoreURL, in: "open",
                """
                “\(scheme):\(location)” names a machine, “\(host)”, but the store is on this one. For a path write \
                \(scheme):/\(authority) or \(scheme):///\(authority).
                """)
        }
        guard let decoded = path.removingPercentEncoding else {
            throw DataStoreError(
                .invalidStoreURL, in: "open",
                """
                “\(scheme):\(location)” has a “%” without the two digits of a character of UTF-8. Write “%25” for a “%”, or \
                the path itself after “\(scheme):”.
                """)
        }
        return decoded
    }
}
