package import Foundation

/// A complete listing of a directory, or an error.
///
/// `FileManager.contentsOfDirectory` takes a failed read for the end of the directory, and `fileExists` returns
/// `false` for any error. Where a missing name affects a store, use this type or ``FileAttributes``.
package enum DirectoryListing {
    /// The names in `directory`, in no order, without “.” and “..”.
    package static func names(
        in directory: URL, for operation: String = "open"
    ) throws(DataStoreError) -> [String] {
        guard let stream = unsafe opendir(directory.path) else {
            throw failure(errno, operation, directory)
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while true {
            // Only `errno` distinguishes the end from an error.
            errno = 0
            guard let entry = unsafe readdir(stream) else {
                let number = errno
                guard number == 0 else { throw failure(number, operation, directory) }
                return names
            }
            // SAFETY: an entry is only as long as its name needs, and valid until the next call.
            let name = unsafe UnsafeRawPointer(entry).advanced(by: nameOffset)
            let text = unsafe String(cString: name.assumingMemoryBound(to: CChar.self))
            if text != ".", text != ".." { names.append(text) }
        }
    }

    /// Whether `directory` contains anything; false if it does not exist.
    package static func holdsFiles(
        _ directory: URL, for operation: String
    ) throws(DataStoreError) -> Bool {
        do throws(DataStoreError) {
            return try !names(in: directory, for: operation).isEmpty
        } catch {
            if error.code == .storeNotFound { return false }
            throw error
        }
    }

    // swift-format-ignore: NeverForceUnwrap
    // The field is stored, so it has an offset.
    private static let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name)!

    private static func failure(
        _ number: Int32, _ operation: String, _ directory: URL
    ) -> DataStoreError {
        DataStoreError(systemError: number, in: operation, path: directory.path)
    }
}
