import Foundation
import Testing

/// A terminal with nobody in front of it, for a program to write to.
final class PseudoTerminal {
    /// What the program gets for its streams.
    let handle: FileHandle
    private let other: FileHandle

    /// A terminal with so many columns.
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

    /// The path of the side that programs use, which they may open now.
    private static func unlockedPath(_ descriptor: Int32) -> String? {
        #if os(Linux)
            // What unlockpt() and ptsname() do; the module of the C library leaves them out.
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

    /// Reads what arrives until the programs that write have ended.
    ///
    /// To be called once they have been started.
    func text() throws -> String {
        try handle.close()
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        // Not read(upToCount:), which forgets what it has read when the last program closes the terminal: that is an error here.
        while true {
            // SAFETY: the call writes into the array, no more bytes than it has.
            let count = unsafe read(other.fileDescriptor, &piece, piece.count)
            if count <= 0 { break }
            bytes += piece.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n")
    }
}
