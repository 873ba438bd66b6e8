import Foundation
import JustPersist

/// The databases whose locks LevelDB still held after closing them.
///
/// If the system fails to release a lock, LevelDB considers the directory open as long as the process runs. It can be
/// opened under another name of the directory.
enum KeptLocks {
    private static let counts = Locked<[String: Int]>([:], isProcessWide: true)

    /// Queries the lock of an open file: F_OFD_GETLK, which Swift's modules of the C library lack.
    #if os(Linux)
        private static let openFileLock: Int32 = 36
    #else
        private static let openFileLock: Int32 = 92
    #endif

    /// A name of the directory at `path` for which LevelDB has no lock.
    static func name(of path: String) -> String {
        path + String(repeating: "/.", count: counts.withLock { $0[path] ?? 0 })
    }

    /// Notes the lock of a closed database if it is still held.
    ///
    /// Closing the file releases every lock of the process on it: no database may be open there.
    static func check(at path: String) {
        let file = unsafe open(path + "/LOCK", O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        // A query reports the process's own locks only if it is made for an open file.
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        let isTold = unsafe fcntl(file, Self.openFileLock, &lock) == 0
        let isKept = !isTold || lock.l_type != Int16(F_UNLCK) && lock.l_pid == getpid()
        if isKept { counts.withLock { $0[path, default: 0] += 1 } }
    }
}
