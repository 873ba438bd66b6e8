import CLMDB
import JustPersist
import JustPersistRecords

/// The one open write transaction of an environment.
final class WriteTransaction: ReadTransaction, KeyValueWriter {
    private var putCursor: Cursor?
    /// Whether every key so far was greater than the last one in the store.
    ///
    /// The keys of new items are, and pages filled by appending are full, while pages that are split in the middle stay
    /// half empty.
    private var isAppending = true
    /// The error after which the transaction cannot be committed.
    // LMDB does not keep the reason of a failure, and a block may have ignored the error.
    private(set) var failure: DataStoreError?
    /// Whether a write found no space, even in a part that was undone.
    private(set) var hasRunOut = false
    private let pagesAtStart: Int

    override init(_ environment: Environment, _ handle: consuming TransactionHandle) {
        pagesAtStart = unsafe environment.pageCount(in: handle.pointer)
        super.init(environment, handle)
    }

    func put(_ value: Span<UInt8>, forKey key: Span<UInt8>) throws(DataStoreError) {
        try unsafe value.withUnsafeBufferPointer { bytes throws(DataStoreError) in
            var value = unsafe MDB_val(bytes)
            try unsafe store(&value, forKey: key)
        }
    }

    private func store(
        _ value: inout MDB_val, forKey key: Span<UInt8>
    ) throws(DataStoreError) {
        if let failure { throw failure }
        try environment.checkProcess(in: "write")
        guard LMDBEngine.keyLengths.contains(key.count) else {
            throw DataStoreError(
                .limitExceeded, in: "write",
                "A key of the store at “\(environment.directory.path)” has \(key.count) bytes, but must "
                    + "have 1 to \(LMDBEngine.keyLengths.upperBound).")
        }
        let cursor = try takePutCursor()
        let code = unsafe key.withUnsafeBufferPointer { bytes in
            var key = unsafe MDB_val(bytes)
            if isAppending {
                let code = unsafe cursor.put(&value, forKey: &key, MDB_APPEND)
                if code != MDB_KEYEXIST { return code }
                isAppending = false
            }
            return unsafe cursor.put(&value, forKey: &key, 0)
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

    /// Uses a cursor, so the tree is descended once.
    func deleteAll(in range: KeyRange) throws(DataStoreError) -> Int {
        if let failure { throw failure }
        try environment.checkProcess(in: "write")
        // The cursor would lose its place.
        putCursor = nil
        let cursor = try openCursor()
        var key = unsafe MDB_val()
        var value = unsafe MDB_val()
        var last: [UInt8] = []
        var count = 0
        var code = unsafe range.lower.span.withUnsafeBufferPointer { lower in
            if !lower.isEmpty { unsafe key = MDB_val(lower) }
            return unsafe cursor.move(lower.isEmpty ? MDB_FIRST : MDB_SET_RANGE, &key, &value)
        }
        while code == MDB_SUCCESS {
            try unsafe environment.pages?.check(key)
            // SAFETY: the bytes stay valid until the entry is deleted.
            let bytes = unsafe key.bytes
            let found = unsafe bytes.span
            if let upper = range.upper, !found.isOrdered(before: upper.span) { break }
            if count > 0, !last.span.isOrdered(before: found) {
                throw DataStoreError.keysOutOfOrder(in: "deleteAll")
            }
            last.removeAll(keepingCapacity: true)
            unsafe last.append(contentsOf: bytes)
            try checkWrite(cursor.delete())
            count += 1
            code = unsafe cursor.move(MDB_NEXT, &key, &value)
        }
        if code != MDB_SUCCESS, code != MDB_NOTFOUND { try checkWrite(code) }
        try scan(range, reversed: true) { (_, _) throws(DataStoreError) in
            throw DataStoreError.keysOutOfOrder(in: "deleteAll")
        }
        return count
    }

    /// Runs `body` in a nested transaction of LMDB.
    ///
    /// The nested one may be on another thread: LMDB keeps no thread-local state of a write transaction, except the
    /// lock that it acquires when the outermost one begins and releases when that ends.
    func withSavepoint(_ body: (any KeyValueWriter) throws -> Void) throws {
        if let failure { throw failure }
        closeCursors()
        let pagesBefore = try unsafe environment.pageCount(in: pointer())
        let nested = try unsafe environment.beginWriting(inside: pointer())
        var outer = exchangeHandle(nested)
        do {
            try body(self)
            if let failure { throw failure }
            // Changes that are too large are undone here, without the rest of the transaction.
            try checkCapacity(growingFrom: pagesBefore)
        } catch {
            // The failure is undone with the changes.
            failure = nil
            // Aborts the nested transaction.
            _ = exchangeHandle(outer.take())
            throw error
        }
        guard let inner = exchangeHandle(outer.take()) else { throw ended }
        try checkWrite(inner.commit())
    }

    /// False if LMDB itself has failed: then the next call throws that error.
    var undoesFailedSavepoints: Bool { failure == nil }

    /// Commits, or changes nothing.
    func commit() throws(DataStoreError) {
        if let failure { throw failure }
        try environment.checkProcess(in: "write")
        try checkCapacity(growingFrom: pagesAtStart)
        guard let handle = takeHandle() else { throw ended }
        try checkWrite(handle.commit())
        // Changes of a file that no longer has a path are not committed.
        try environment.checkPlace(in: "write", isCommitted: true)
    }

    override func closeCursors() {
        putCursor = nil
        super.closeCursors()
    }

    override var snapshotNumber: UInt64? { nil }

    override func end() {
        // Aborts the transaction.
        _ = takeHandle()
    }

    /// Refuses a transaction that grew into the pages reserved for deletions from a full store.
    private func checkCapacity(growingFrom before: Int) throws(DataStoreError) {
        let pages = try unsafe environment.pageCount(in: pointer())
        guard pages > before, pages > environment.capacity else { return }
        try checkWrite(MDB_MAP_FULL)
    }

    private func checkWrite(_ code: Int32) throws(DataStoreError) {
        do throws(DataStoreError) {
            try environment.check(code, in: "write")
        } catch {
            failure = error
            if error.isMapFull { hasRunOut = true }
            throw error
        }
    }
}
