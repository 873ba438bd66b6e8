import Foundation
import JustPersist
import JustPersistRecords

/// LevelDB's own lock on a database, for reading its files before it is opened.
enum FileLock {
    /// Holds the lock while `body` runs.
    ///
    /// Releasing it releases every lock of the process on the file: the store must be claimed, and must not be open.
    static func withLock<R>(
        in directory: URL, for operation: String, _ body: () throws(DataStoreError) -> R
    ) throws(DataStoreError) -> R {
        let path = directory.appending(path: "LOCK").path
        let file = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw DataStoreError(systemError: errno, in: operation, path: directory.path)
        }
        defer { close(file) }
        try take(F_WRLCK, file, in: directory, for: operation)
        return try body()
    }

    /// Acquires the lock shared with other readers, and returns the open file; -1 if there is no lock file.
    ///
    /// The rules of ``withLock(in:for:_:)`` apply until the file is closed.
    static func lockForReading(in directory: URL) throws(DataStoreError) -> Int32 {
        let path = directory.appending(path: "LOCK").path
        let file = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else {
            let number = errno
            if number == ENOENT { return -1 }
            throw DataStoreError(systemError: number, in: "open", path: path)
        }
        do throws(DataStoreError) {
            try take(F_RDLCK, file, in: directory, for: "open")
            return file
        } catch {
            close(file)
            throw error
        }
    }

    private static func take(
        _ kind: Int32, _ file: Int32, in directory: URL, for operation: String
    ) throws(DataStoreError) {
        var lock = flock()
        lock.l_type = Int16(kind)
        lock.l_whence = Int16(SEEK_SET)
        guard unsafe fcntl(file, F_SETLK, &lock) != 0 else { return }
        let code = POSIXErrorCode(rawValue: errno) ?? .EIO
        guard code == .EACCES || code == .EAGAIN else {
            throw DataStoreError(fileError: POSIXError(code), in: operation, path: directory.path)
        }
        let reason = unsafe String(cString: strerror(code.rawValue))
        throw DataStoreError(
            levelDB: "IO error: lock \(directory.appending(path: "LOCK").path): \(reason)",
            in: operation, path: directory.path)
    }

    /// Holds the lock while `body` reads the files, if there is a writable lock file.
    ///
    /// The rules of ``withLock(in:for:_:)`` apply.
    static func withLockIfThere(
        in directory: URL, for operation: String, _ body: () throws -> Void
    ) throws {
        let place = directory.appending(path: "LOCK")
        guard try FileAttributes(ofItemAt: place) != nil,
            FileManager.default.isWritableFile(atPath: place.path)
        else { return try body() }
        let result = try withLock(in: directory, for: operation) { Result { try body() } }
        try result.get()
    }
}
