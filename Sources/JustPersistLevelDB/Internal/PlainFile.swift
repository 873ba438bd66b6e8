import Foundation

/// Opens files of a store as nothing else than files.
///
/// They are looked at before a store is opened, but whoever opens one later must not be led out of the
/// directory by a link in its place, nor wait for the other end of a pipe.
enum PlainFile {
    /// Opens the file at `place`; one that is made is its owner's alone.
    static func handle(_ place: URL, _ flags: Int32) throws -> FileHandle {
        let flags = flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let file = unsafe open(place.path, flags, 0o600)
        guard file >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return FileHandle(fileDescriptor: file, closeOnDealloc: true)
    }
}
