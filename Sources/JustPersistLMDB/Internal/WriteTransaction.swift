import CLMDB
import JustPersist
import JustPersistRecords

/// The one open write transaction of an environment.
final class WriteTransaction: ReadTransaction, KeyValueWriter {
    private var putCursor: Cursor?
    /// Whether all keys so far went behind the last one.
    ///
    /// New items do, and pages filled by appending are full, where those split in the middle stay
    /// half empty.
    private var isAppending = true
    /// The error that the transaction failed with.
    // LMDB forgets why a transaction went bad, and a block may have swallowed the error.
    private(set) var failure: DataStoreError?
    private let pagesAtStart: Int

    override init(_ environment: Environment, _ handle: consuming TransactionHandle) {
        pagesAtStart = unsafe environment.pageCount(in: handle.pointer)
        super.init(environment, handle)
    }

    func put(_ value: Span<UInt8>, forKey key: Span<UInt8>) throws(DataStoreError) {
        if let failure { throw failure }
        try environment.checkProcess(in: "write")
        guard LMDBEngine.keyLengths.contains(key.count) else {
            throw DataStoreError(
                .limitExceeded, in: "write",
                "A key of the store at “\(environment.directory.path)” has \(key.count) bytes, but must "
                    + "have 1 to \(LMDBEngine.keyLengths.upperBound).")
        }
        let cursor = try takePutCursor()
        let code = unsafe key.withUnsafeBufferPointer { keyBytes in
            unsafe value.withUnsafeBufferPointer { valueBytes in
                var key = unsafe MDB_val(keyBytes)
                var value = unsafe MDB_val(valueBytes)
                if isAppending {
                    let code = unsafe cursor.append(&value, forKey: &key)
                    if code != MDB_KEYEXIST { return code }
                    isAppending = false
                }
                return unsafe cursor.put(&value, forKey: &key)
            }
        }
        putCursor = consume cursor
        try checkWrite(code)
    }

    private func takePutCursor() throws(DataStoreError) -> Cursor {
        if let cursor = putCursor.take() { return cursor }
        return try openCursor()
    }

    func delete(_ key: Span<UInt8>) throws(DataStoreError) -> Bool {
        if let failure { throw failure }
        try environment.checkProcess(in: "write")
        guard LMDBEngine.keyLengths.contains(key.count) else { return false }
        let transaction = unsafe try pointer()
        let code = unsafe key.withUnsafeBufferPointer { bytes in
            var key = unsafe MDB_val(bytes)
            return unsafe mdb_del(transaction, environment.table, &key, nil)
        }
        guard code != MDB_NOTFOUND else { return false }
        try checkWrite(code)
        return true
    }

    /// Commits, or changes nothing.
    func commit() throws(DataStoreError) {
        if let failure { throw failure }
        try environment.checkProcess(in: "write")
        try checkCapacity()
        putCursor = nil
        guard let handle = takeHandle() else { throw ended }
        try checkWrite(handle.commit())
        // What went to a file that nobody can open any more is not committed.
        try environment.checkPlace(in: "write", isCommitted: true)
    }

    override func end() {
        putCursor = nil
        // Not committed, it aborts.
        _ = takeHandle()
    }

    /// Refuses a transaction that grew into the pages kept for deleting from a full store.
    private func checkCapacity() throws(DataStoreError) {
        let pages = try unsafe environment.pageCount(in: pointer())
        guard pages > pagesAtStart, pages > environment.capacity else { return }
        try checkWrite(MDB_MAP_FULL)
    }

    private func checkWrite(_ code: Int32) throws(DataStoreError) {
        do throws(DataStoreError) {
            try environment.check(code, in: "write")
        } catch {
            failure = error
            throw error
        }
    }
}
