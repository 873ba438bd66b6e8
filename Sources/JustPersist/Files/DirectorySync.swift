package import Foundation

extension URL {
    /// Syncs this directory, so that the names in it survive a loss of power; syncing a file need not make its name durable.
    ///
    /// File systems that cannot sync a directory need not, and are no error.
    package func synchronizeDirectory(in operation: String) throws(DataStoreError) {
        let place = path.isEmpty ? "." : path
        let directory = unsafe Foundation.open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else {
            let number = errno
            // One that may be written to and not read cannot be synced on its own.
            if [EACCES, EPERM].contains(number) { return }
            throw DataStoreError(systemError: number, in: operation, path: path)
        }
        defer { _ = Foundation.close(directory) }
        while fsync(directory) != 0 {
            let number = errno
            if number == EINTR { continue }
            if [EINVAL, ENOTSUP, EOPNOTSUPP, ENOSYS, EBADF].contains(number) { return }
            throw DataStoreError(systemError: number, in: operation, path: path)
        }
    }
}
