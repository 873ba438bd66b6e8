import Foundation
import JustPersist
import JustPersistRecords

/// LMDB's own lock on a store, which shows whether only one process has it open.
///
/// If LMDB opens the store meanwhile, it waits, and then opens the file that exists at the end.
enum ExclusiveLock {
    /// Holds the lock while `body` runs.
    ///
    /// The store is claimed and not open in this process: releasing the lock releases every lock of the process on the
    /// file.
    ///
    /// - Throws: `.lockedByAnotherProcess` if another process has the store open, or the error of `body`.
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

    /// Holds the lock while `body` reads the files, if there is a writable lock file: without one, no process can have
    /// the store open for writing.
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
