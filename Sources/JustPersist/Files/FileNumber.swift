package import Foundation

// On Linux `stat` may be seen as this module's, whichever came to include its header first.
#if canImport(CDispatch)
    import CDispatch
#endif

/// Which file it is, whatever path leads to it; asked at each block, so without Foundation's detours.
package struct FileNumber: Equatable, Sendable {
    private let device: UInt64
    private let number: UInt64

    /// That of an open file; `nil` if the system does not tell.
    package init?(descriptor: Int32) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
    }

    /// That of the file at a path, or why it cannot be told.
    package static func of(_ path: String) -> Result<FileNumber, POSIXError> {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            return .failure(POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO))
        }
        return .success(FileNumber(status))
    }

    /// How many bytes an open file has; `nil` if the system does not tell.
    package static func length(descriptor: Int32) -> UInt? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        return UInt(clamping: status.st_size)
    }

    /// Whether no path leads to an open file any more.
    package static func isDeleted(descriptor: Int32) -> Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 && status.st_nlink == 0
    }
}
