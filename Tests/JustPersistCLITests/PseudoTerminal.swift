import Foundation
import Testing

/// A pseudo terminal, to which a program under test writes.
final class PseudoTerminal {
    /// The handle for the program's streams.
    let handle: FileHandle
    private let other: FileHandle

    /// A terminal with a number of columns.
    init(columns: Int) throws {
        // SAFETY: the path is a string, which lives as long as the call.
        let descriptor = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(descriptor >= 0)
        other = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let path = try #require(Self.unlockedPath(descriptor))
        handle = try #require(FileHandle(forUpdatingAtPath: path))
        var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        // SAFETY: the call reads the structure that it is given.
        let isSet = unsafe ioctl(descriptor, UInt(TIOCSWINSZ), &size) == 0
        try #require(isSet)
    }

    /// Unlocks the side that programs use, and returns its path.
    private static func unlockedPath(_ descriptor: Int32) -> String? {
        #if os(Linux)
            // These calls replace unlockpt() and ptsname(), which Swift does not import.
            var (lock, number): (Int32, Int32) = (0, 0)
            // SAFETY: the calls read or write the number that they are given.
            guard unsafe ioctl(descriptor, 0x4004_5431, &lock) == 0,
                unsafe ioctl(descriptor, 0x8004_5430, &number) == 0
            else { return nil }
            return "/dev/pts/\(number)"
        #else
            guard grantpt(descriptor) == 0, unlockpt(descriptor) == 0 else { return nil }
            // SAFETY: the name is copied at once.
            return unsafe ptsname(descriptor).map { unsafe String(cString: $0) }
        #endif
    }

    /// Reads until all programs that write to the terminal have ended.
    ///
    /// Call this after the programs have been started.
    func text() throws -> String {
        try handle.close()
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        // read(upToCount:) cannot be used: it drops the bytes that it has read when the last program closes the
        // terminal, which is reported as an error.
        while true {
            // SAFETY: the call writes into the array, no more bytes than it has.
            let count = unsafe read(other.fileDescriptor, &piece, piece.count)
            if count <= 0 { break }
            bytes += piece.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n")
    }
}
