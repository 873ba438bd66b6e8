import GRDB
import JustPersist

extension DataStoreError {
    /// An error of GRDB as a failure of a store; a failure of a store unchanged.
    init(sqlite error: any Error, in operation: String) {
        if let error = error as? DataStoreError {
            self = error
            return
        }
        guard let failure = error as? DatabaseError else {
            self.init(
                .storageFailure, in: operation, "SQLite could not be used. Check the disk.",
                engine: EngineFailure(name: "SQLite", text: "\(error)"))
            return
        }
        let code: Code
        let message: String
        switch failure.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            code = .lockedByAnotherProcess
            message = "Another process has been writing to the store for too long. Try again later."
        case .SQLITE_FULL:
            code = .storageFull
            message = "There is no room left to write the store. Free some space and try again."
        case .SQLITE_CORRUPT:
            code = .corrupted
            message = "The database of the store is damaged. Restore it from a copy."
        case .SQLITE_NOTADB:
            code = .notAStore
            message = "The file is no SQLite database. It was left untouched; choose another path."
        case .SQLITE_TOOBIG:
            code = .limitExceeded
            message = "An item is larger than SQLite takes. Keep large contents in files."
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN, .SQLITE_AUTH:
            code = .accessDenied
            message = "The store may not be read or written by this user. Check its permissions."
        default:
            code = .storageFailure
            message = "SQLite could not read or write the store. Check the disk."
        }
        self.init(
            code, in: operation, message,
            engine: EngineFailure(
                name: "SQLite", code: Int(failure.extendedResultCode.rawValue),
                text: failure.message ?? failure.description))
    }
}
