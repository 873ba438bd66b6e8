import CLMDB
import Foundation
import JustPersist
import JustPersistRecords

/// LMDB's return codes as errors of the contract.
enum LMDBError {
    /// Throws the error of `code`, if it is one.
    ///
    /// The caller handles a missing key, `MDB_NOTFOUND`, first: it is not an error.
    static func check(
        _ code: Int32, in operation: String, at directory: StoreDirectory
    ) throws(DataStoreError) {
        guard code != MDB_SUCCESS else { return }
        throw error(code, in: operation, at: directory)
    }

    static func error(
        _ code: Int32, in operation: String, at directory: StoreDirectory
    ) -> DataStoreError {
        let kind = kind(of: code, at: directory)
        return DataStoreError(
            kind, in: operation, fact(kind, code, path: directory.path), advice: advice(for: code),
            engine: .init(name: "LMDB", code: Int(code), text: text(of: code)))
    }

    private static func kind(of code: Int32, at directory: StoreDirectory) -> DataStoreError.Code {
        switch code {
        case MDB_MAP_FULL, EFBIG: return .storageFull
        case MDB_TXN_FULL, MDB_BAD_VALSIZE, MDB_READERS_FULL: return .limitExceeded
        case MDB_INVALID, MDB_VERSION_MISMATCH, MDB_INCOMPATIBLE: return .notAStore
        case MDB_CORRUPTED, MDB_PAGE_NOTFOUND: return .corrupted
        case EAGAIN: return .lockedByAnotherProcess
        // LMDB reports an incomplete write as EIO, and a full disk causes incomplete writes.
        case EIO where isFull(directory): return .storageFull
        default:
            return POSIXErrorCode(rawValue: code).flatMap { .init(fileError: $0) }
                ?? .storageFailure
        }
    }

    /// Whether the disk is full, or a quota or a limit on the size of files is reached.
    private static func isFull(_ directory: StoreDirectory) -> Bool {
        if directory.freeSpace ?? .max < 1 << 20 { return true }
        let file = DataFile(directory: directory).url
        let size = (try? file.resourceValues(forKeys: [.fileSizeKey]))?.fileSize ?? 0
        return directory.isLimited(
            fileSize: size + 1 << 20, growth: 1 << 20,
            scratch: "new-\(UUID().uuidString).mdb")
    }

    private static func fact(
        _ kind: DataStoreError.Code, _ code: Int32, path: String
    ) -> String {
        switch code {
        case MDB_MAP_FULL:
            "The store at “\(path)” has reached its maximum size."
        case MDB_READERS_FULL:
            "Too many reads of the store at “\(path)” run at once."
        case MDB_TXN_FULL:
            "One write block changes more of the store at “\(path)” than LMDB can hold."
        case MDB_BAD_VALSIZE:
            "A key or value for the store at “\(path)” is larger than LMDB takes. Make it shorter."
        case MDB_INVALID, MDB_VERSION_MISMATCH, MDB_INCOMPATIBLE:
            "“\(path)” does not hold an LMDB store that this release can read. \(DataStoreError.rescueOrMove)"
        case MDB_CORRUPTED, MDB_PAGE_NOTFOUND:
            "The file data.mdb of the store at “\(path)” is damaged; \(DataStoreError.rescue)"
        case MDB_PANIC:
            "An earlier commit to the store at “\(path)” could not be finished, so the file has to be "
                + "opened anew. That happens by itself as soon as no block runs: end those that do, and "
                + "try again. Committed data is intact."
        // LMDB identifies readers by their process number, and locks the byte with that number in the lock file.
        case EAGAIN:
            "A process with the number of this one, \(getpid()), has the store at “\(path)” open: it runs in another "
                + "container or PID namespace, and LMDB takes the two for one. Close it there, or run both in one "
                + "PID namespace; nothing was changed."
        case MDB_MAP_RESIZED:
            "Another process has enlarged the store at “\(path)”. Try again when the running reads "
                + "have ended."
        default: DataStoreError.message(for: kind, path: path)
        }
    }

    private static func advice(for code: Int32) -> String? {
        switch code {
        case MDB_MAP_FULL: "Delete items, or open it with a larger maximumSize."
        case MDB_READERS_FULL: "End some, or open the store with more maximumReaders."
        case MDB_TXN_FULL: "Split it."
        default: nil
        }
    }

    private static func text(of code: Int32) -> String {
        // SAFETY: LMDB returns a constant, or the system's text of an error number.
        guard let text = unsafe mdb_strerror(code) else { return "error \(code)" }
        return unsafe String(cString: text)
    }
}

extension DataStoreError {
    /// Whether the reserved address space is used up.
    var isMapFull: Bool { engine?.code == Int(MDB_MAP_FULL) }
    /// Whether a commit failed in a way that requires LMDB to be reopened.
    var isUnfinishedCommit: Bool { engine?.code == Int(MDB_PANIC) }
    /// Whether another process has made the store larger than the address space reserved here.
    var isMapOutgrown: Bool { engine?.code == Int(MDB_MAP_RESIZED) }
}
