import CLevelDB
import Foundation
import JustPersist
import JustPersistRecords

/// Calls LevelDB, and throws the error that it reports.
///
/// The call receives the pointer to which LevelDB writes its error text.
func check<R: ~Copyable>(
    _ operation: String, at path: String,
    _ call: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R
) throws(DataStoreError) -> R {
    var text: UnsafeMutablePointer<CChar>?
    let result = unsafe call(&text)
    guard let text = unsafe text else { return result }
    defer { unsafe leveldb_free(text) }
    throw DataStoreError(levelDB: unsafe String(cString: text), in: operation, path: path)
}

extension DataStoreError {
    /// An error that LevelDB reported, classified by the form of its text: there are no error numbers.
    init(levelDB text: String, in operation: String, path: String) {
        let code: Code
        let message: String
        if text.hasPrefix("IO error: lock "), text.hasSuffix("already held by process") {
            code = .alreadyOpen
            message =
                "The LevelDB store at “\(path)” is already open in this process."
        } else if text.hasPrefix("IO error: lock ") {
            code = .lockedByAnotherProcess
            message =
                "Another process has the LevelDB store at “\(path)” open, and only one may. "
                + "Close it there first."
        } else if text.hasPrefix("Corruption: ") {
            code = .corrupted
            message =
                "The LevelDB store at “\(path)” is damaged; \(Self.rescue)"
        } else if text.hasPrefix("Invalid argument: "), text.contains("does not exist") {
            code = .storeNotFound
            message = Self.message(for: code, path: path)
        } else if text.hasPrefix("Invalid argument: ") {
            code = .notAStore
            message =
                "The LevelDB database at “\(path)” was made by another program, with an order of "
                + "keys of its own. Choose another path."
        } else {
            code = POSIXErrorCode(endOf: text).flatMap(Code.init(fileError:)) ?? .storageFailure
            message = Self.message(for: code, path: path)
        }
        self.init(
            code, in: operation, message,
            advice: code == .alreadyOpen ? "Use that store, or tear it down first." : nil,
            engine: EngineFailure(name: "LevelDB", text: text))
    }
}

extension POSIXErrorCode {
    /// The error number whose description LevelDB put at the end of `text`.
    fileprivate init?(endOf text: String) {
        let numbers: [POSIXErrorCode] = [
            .ENOSPC, .EDQUOT, .EFBIG, .EACCES, .EPERM, .EROFS, .ENOENT, .ENOTDIR, .EIO,
        ]
        // LevelDB takes its texts from the same table, in the same language.
        let match = numbers.first { unsafe text.hasSuffix(String(cString: strerror($0.rawValue))) }
        guard let match else { return nil }
        self = match == .EFBIG ? .ENOSPC : match
    }
}
