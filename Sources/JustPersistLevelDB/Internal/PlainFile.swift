import Foundation

/// Opens a store's files only if they are plain files.
///
/// They are checked before a store is opened, but a file that is opened later may have been replaced by a link, which
/// must not lead out of the directory, or by a pipe, which must not block.
enum PlainFile {
    /// Opens the file at `place`; a new file is accessible to its owner only.
    static func handle(_ place: URL, _ flags: Int32) throws -> FileHandle {
        let flags = flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let file = unsafe open(place.path, flags, 0o600)
        guard file >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return FileHandle(fileDescriptor: file, closeOnDealloc: true)
    }
}
