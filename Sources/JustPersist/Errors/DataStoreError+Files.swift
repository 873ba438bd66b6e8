public import Foundation

extension DataStoreError {
    /// The failure of a file operation on `path`, as thrown by Foundation.
    ///
    /// The code follows ``Code/init(fileError:)``; errors without a better code are `.storageFailure`.
    public init(fileError error: any Error, in operation: String, path: String) {
        let posix = POSIXErrorCode(below: error)
        let code = posix.flatMap(Code.init(fileError:)) ?? Code(cocoa: error) ?? .storageFailure
        let reason = posix.map { POSIXError($0).localizedDescription } ?? "\(error)"
        let engine = EngineFailure(
            name: "file system", code: posix.map { Int($0.rawValue) }, text: reason)
        self.init(code, in: operation, Self.message(for: code, path: path), engine: engine)
    }

    /// The failure of a system call on `path`, by its error number.
    package init(systemError number: Int32, in operation: String, path: String) {
        self.init(
            fileError: POSIXError(POSIXErrorCode(rawValue: number) ?? .EIO), in: operation,
            path: path)
    }

    /// The failure to sync a directory after everything at `path` was written: it might not survive a loss of power.
    package static func notDurable(_ path: String, because error: DataStoreError) -> DataStoreError
    {
        DataStoreError(
            error.code, in: error.operation,
            """
            “\(path)” is whole, but the system could not make it durable: it may be gone after a loss of power. Copy it to \
            another disk. \(error.message)
            """, engine: error.engine)
    }

    /// The advice for a store whose files are damaged, as the end of a sentence.
    package static let rescue = """
        restore it from a backup, or save what can be read: justpersist repair STORE --into DIRECTORY.
        """

    /// The advice for files that are either a damaged store or no store.
    package static let rescueOrMove =
        "If this was a store, \(rescue) If not, choose another path; nothing was changed."

    /// One sentence about a file failure of the given kind at `path`, and advice.
    public static func message(for code: Code, path: String) -> String {
        switch code {
        case .storeNotFound:
            "There is no store at “\(path)”. Check the path."
        case .accessDenied:
            "“\(path)” may not be read or written by this user. Check its owner and permissions."
        case .storageFull:
            "There is no room left to write to “\(path)”. Free some space and try again."
        case .notAStore:
            "“\(path)” is not a directory that can hold a store. Choose another path."
        case .invalidStoreURL:
            "“\(path)” cannot be the path of a store. Choose another path."
        default:
            "The operating system could not read or write “\(path)”. Check the disk."
        }
    }
}

extension DataStoreError.Code {
    /// The code for the error number of a file operation; `nil` if there is none.
    public init?(fileError number: POSIXErrorCode) {
        switch number {
        case .ENOENT: self = .storeNotFound
        case .EACCES, .EPERM, .EROFS: self = .accessDenied
        case .ENOSPC, .EDQUOT: self = .storageFull
        case .ENOTDIR, .EEXIST, .EISDIR: self = .notAStore
        case .ENAMETOOLONG, .ELOOP: self = .invalidStoreURL
        case .EIO: self = .storageFailure
        default: return nil
        }
    }

    fileprivate init?(cocoa error: any Error) {
        guard let cocoa = error as? CocoaError else { return nil }
        switch cocoa.code {
        case .fileNoSuchFile, .fileReadNoSuchFile: self = .storeNotFound
        case .fileReadNoPermission, .fileWriteNoPermission, .fileWriteVolumeReadOnly:
            self = .accessDenied
        case .fileWriteOutOfSpace: self = .storageFull
        case .fileReadInvalidFileName, .fileWriteInvalidFileName: self = .invalidStoreURL
        default: return nil
        }
    }
}

extension POSIXErrorCode {
    /// The error number that a Foundation error was made from.
    fileprivate init?(below error: any Error) {
        let error = error as NSError
        if error.domain == NSPOSIXErrorDomain {
            self.init(rawValue: Int32(truncatingIfNeeded: error.code))
        } else if let cause = error.userInfo[NSUnderlyingErrorKey] as? any Error {
            self.init(below: cause)
        } else {
            return nil
        }
    }
}
