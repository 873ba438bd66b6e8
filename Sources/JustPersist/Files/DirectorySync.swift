package import Foundation

extension URL {
    /// Syncs this directory, so that the names in it survive a loss of power; syncing a file need not make its name durable.
    ///
    /// File systems that cannot sync a directory need not, and are no error.
    package func synchronizeDirectory(in operation: String) throws(DataStoreError) {
        let directory = unsafe Foundation.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // One that may be written to and not read cannot be synced on its own.
        guard directory >= 0 else { return }
        defer { _ = Foundation.close(directory) }
        guard fsync(directory) != 0, ![EINVAL, ENOTSUP, EBADF, EROFS].contains(errno) else {
            return
        }
        throw DataStoreError(
            fileError: POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO), in: operation,
            path: path)
    }
}
