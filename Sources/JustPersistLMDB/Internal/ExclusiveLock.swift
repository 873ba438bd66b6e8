import Foundation
import JustPersist
import JustPersistRecords

/// LMDB's own lock on a store, by which it tells whether a process is the only one to have it open.
///
/// An LMDB that opens the store meanwhile waits, and then opens the file that is there by then.
enum ExclusiveLock {
    /// Holds the lock while `body` runs.
    ///
    /// The store is claimed and not open in this process: to let go of the lock gives up every lock that the process has
    /// on the file.
    ///
    /// - Throws: `.lockedByAnotherProcess` if another process has the store open, or what `body` throws.
    static func withLock<Value>(
        in directory: StoreDirectory, for operation: String, _ body: () throws -> Value
    ) throws -> Value {
        let path = directory.url.appending(path: DataFile.lockName).path
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(errno, operation, path) }
        defer { close(descriptor) }
        // The byte that LMDB locks.
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 0
        lock.l_len = 1
        guard unsafe fcntl(descriptor, F_SETLK, &lock) == 0 else {
            let number = errno
            guard number == EACCES || number == EAGAIN else {
                throw failure(number, operation, path)
            }
            throw DataStoreError(
                .lockedByAnotherProcess, in: operation,
                "Another process has the store at “\(directory.path)” open. Close it there first; "
                    + "nothing was changed.")
        }
        return try body()
    }

    /// Holds the lock while `body` reads the files, as far as there is a lock file that may be written to: without one
    /// nobody can have the store open for writing.
    static func withLockIfThere<Value>(
        in directory: StoreDirectory, for operation: String, _ body: () throws -> Value
    ) throws -> Value {
        let path = directory.url.appending(path: DataFile.lockName).path
        guard try FileAttributes(ofItemAt: URL(filePath: path)) != nil,
            FileManager.default.isWritableFile(atPath: path)
        else { return try body() }
        return try withLock(in: directory, for: operation, body)
    }

    private static func failure(
        _ number: Int32, _ operation: String, _ path: String
    ) -> DataStoreError {
        DataStoreError(systemError: number, in: operation, path: path)
    }
}
