import Foundation

extension StoreDirectory {
    /// Refuses files of the store that are something else, as far as they are there.
    ///
    /// A pipe would hang whoever opens it, and a link leads out of the directory.
    ///
    /// - Throws: `.notAStore`, or what the file system reports.
    public func checkFiles(_ names: [String]) throws(DataStoreError) {
        for name in names {
            let file = url.appending(path: name)
            guard let found = try FileAttributes(ofItemAt: file), found.type != .typeRegular
            else { continue }
            throw DataStoreError(
                .notAStore, in: "open",
                "“\(file.path)” is not a regular file, as a file of a store is. It was left untouched; "
                    + "choose another path.")
        }
    }
}
