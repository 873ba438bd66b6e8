import Foundation
import JustPersist
import JustPersistRecords

/// LevelDB's own lock on a database, for a look at its files before it is opened.
enum FileLock {
    /// Holds the lock while `body` runs.
    ///
    /// Letting go of it takes away every lock the process has on the file: the store must have been
    /// claimed, and not be open.
    static func withLock<R>(
        in directory: URL, for operation: String, _ body: () throws(DataStoreError) -> R
    ) throws(DataStoreError) -> R {
        let path = directory.appending(path: "LOCK").path
        let file = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw DataStoreError(systemError: errno, in: operation, path: directory.path)
        }
        defer { close(file) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        guard unsafe fcntl(file, F_SETLK, &lock) == 0 else {
            let code = POSIXErrorCode(rawValue: errno) ?? .EIO
            guard code == .EACCES || code == .EAGAIN else {
                throw DataStoreError(
                    fileError: POSIXError(code), in: operation, path: directory.path)
            }
            let reason = unsafe String(cString: strerror(code.rawValue))
            throw DataStoreError(
                levelDB: "IO error: lock \(path): \(reason)", in: operation, path: directory.path)
        }
        return try body()
    }

    /// Holds the lock while `body` reads the files, as far as there is a lock file that may be written to.
    ///
    /// The same rules hold as for ``withLock(in:for:_:)``.
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
