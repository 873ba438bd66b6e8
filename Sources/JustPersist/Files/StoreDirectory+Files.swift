import Foundation

extension StoreDirectory {
    /// Throws if one of these files exists but is not a regular file.
    ///
    /// Opening a pipe would block, and a link could lead out of the directory.
    ///
    /// - Throws: `.notAStore`, or the file system's error.
    public func checkFiles(_ names: [String]) throws(DataStoreError) {
        for name in names {
            let file = url.appending(path: name)
            guard let found = try FileAttributes(ofItemAt: file), found.type != .typeRegular
            else { continue }
            throw DataStoreError(
                .notAStore, in: "open",
                "“\(file.path)” is not a regular file, as a file of a store is. It was left untouched; "
                    + "move it away and restore the file from a backup, or choose another path.")
        }
    }
}
