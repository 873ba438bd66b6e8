import Foundation
import JustPersist

/// The databases whose locks LevelDB kept when it closed them.
///
/// If the system refuses to give a lock up, LevelDB takes the directory for open as long as the process runs. By another
/// name of the same directory it can be opened.
enum KeptLocks {
    private static let counts = Locked<[String: Int]>([:], isProcessWide: true)

    /// Asks for the lock of an open file: F_OFD_GETLK, which Swift's modules of the C library lack.
    #if os(Linux)
        private static let openFileLock: Int32 = 36
    #else
        private static let openFileLock: Int32 = 92
    #endif

    /// A name of the directory at `path` under which LevelDB knows of no lock.
    static func name(of path: String) -> String {
        path + String(repeating: "/.", count: counts.withLock { $0[path] ?? 0 })
    }

    /// Takes note of the lock of a database that was closed, if it is still held.
    ///
    /// Letting go of the file takes away every lock the process has on it: no database may be open there.
    static func check(at path: String) {
        let file = unsafe open(path + "/LOCK", O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        // Of its own locks a process is told only if it asks for an open file's.
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        let isTold = unsafe fcntl(file, Self.openFileLock, &lock) == 0
        let isKept = !isTold || lock.l_type != Int16(F_UNLCK) && lock.l_pid == getpid()
        if isKept { counts.withLock { $0[path, default: 0] += 1 } }
    }
}
