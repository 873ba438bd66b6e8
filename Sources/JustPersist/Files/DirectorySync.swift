package import Foundation

extension URL {
    /// Syncs this directory, so that the names in it survive a loss of power; syncing a file does not guarantee that.
    ///
    /// File systems that cannot sync a directory are ignored.
    package func synchronizeDirectory(in operation: String) throws(DataStoreError) {
        let place = path.isEmpty ? "." : path
        let directory = unsafe Foundation.open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else {
            let number = errno
            // A directory that is writable but not readable cannot be synced on its own.
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
