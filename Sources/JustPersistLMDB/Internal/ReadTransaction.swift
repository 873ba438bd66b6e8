import CLMDB
import Foundation
import JustPersist
import JustPersistRecords

/// One snapshot of an environment, and the superclass of ``WriteTransaction``.
class ReadTransaction: KeyValueReader {
    let environment: Environment
    // Unchecked: it is read for every key, and code that runs during an assignment does not access it.
    @safe @exclusivity(unchecked) private var handle: TransactionHandle?
    // Scans use it in turn; a scan inside a scan opens a cursor of its own.
    private var spareCursor: Cursor?

    init(_ environment: Environment, _ handle: consuming TransactionHandle) {
        self.environment = environment
        self.handle = consume handle
    }

    /// The number of the snapshot.
    final var number: UInt64? { handle?.number }

    // The number of a write transaction is its own, and not that of a committed state. In a compacted file LMDB starts
    // again with low numbers.
    var snapshotNumber: UInt64? { number.map { environment.opening << 40 &+ $0 } }

    /// Ends the transaction; called once, by its engine.
    func end() {
        if let handle = takeHandle() { environment.retire(handle) }
    }

    /// The transaction, to be ended: the cursors are closed, and nothing can be read any more.
    final func takeHandle() -> TransactionHandle? {
        closeCursors()
        return handle.take()
    }

    /// Closes the cursors, before the transaction ends, and before a nested transaction, whose changes they would not
    /// follow.
    func closeCursors() { spareCursor = nil }

    /// Replaces the open transaction, and returns the previous one; the cursors are closed.
    final func exchangeHandle(_ new: consuming TransactionHandle?) -> TransactionHandle? {
        let old = takeHandle()
        handle = consume new
        return old
    }

    func withValue(
        forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(DataStoreError) -> Void
    ) throws(DataStoreError) -> Bool {
        guard LMDBEngine.keyLengths.contains(key.count) else { return false }
        let transaction = unsafe try pointer()
        var value = unsafe MDB_val()
        let code = unsafe key.withUnsafeBufferPointer { bytes in
            var key = unsafe MDB_val(bytes)
            return unsafe mdb_get(transaction, environment.table, &key, &value)
        }
        guard code != MDB_NOTFOUND else {
            try checkNeighbours(of: key)
            return false
        }
        try environment.check(code, in: "read")
        try unsafe environment.pages?.check(value)
        // SAFETY: the bytes stay valid until the transaction ends or writes, and `body` does neither.
        let bytes = unsafe value.bytes
        try unsafe body(bytes.span)
        return true
    }

    /// Uses one cursor, which finds a key on the page of the last one without descending the tree.
    func withValues(
        forKeys keys: [[UInt8]],
        _ body: (_ place: Int, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        let cursor = try takeCursor()
        let pages = environment.pages
        for place in keys.indices {
            guard LMDBEngine.keyLengths.contains(keys[place].count) else { continue }
            var value = unsafe MDB_val()
            let code = unsafe keys[place].withUnsafeBufferPointer { bytes in
                var key = unsafe MDB_val(bytes)
                return unsafe cursor.move(MDB_SET, &key, &value)
            }
            if code == MDB_NOTFOUND {
                let key = keys[place]
                try checkNeighbours(of: key.span)
                continue
            }
            try environment.check(code, in: "read")
            try unsafe pages?.check(value)
            // SAFETY: the bytes stay valid until the transaction ends or writes, and `body` does neither.
            let bytes = unsafe value.bytes
            if try unsafe body(place, bytes.span) == .stop { break }
        }
        spareCursor = consume cursor
    }

    func scan(
        _ range: KeyRange, reversed: Bool,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        guard range.upper != [] else { return }
        let cursor = try takeCursor()
        let lower = range.lower.span
        if let upper = range.upper {
            // SAFETY: `range` keeps both bounds alive during the scan.
            try unsafe lower.withUnsafeBufferPointer { lower throws(DataStoreError) in
                try unsafe upper.span.withUnsafeBufferPointer { upper throws(DataStoreError) in
                    try unsafe scan(with: cursor, from: lower, upTo: upper, reversed, body)
                }
            }
        } else {
            try unsafe lower.withUnsafeBufferPointer { lower throws(DataStoreError) in
                try unsafe scan(with: cursor, from: lower, upTo: nil, reversed, body)
            }
        }
        spareCursor = consume cursor
    }

    private func scan(
        with cursor: borrowing Cursor, from lower: UnsafeBufferPointer<UInt8>,
        upTo upper: UnsafeBufferPointer<UInt8>?, _ reversed: Bool,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        var key = unsafe MDB_val()
        var value = unsafe MDB_val()
        var code: Int32
        if !reversed {
            // LMDB does not accept an empty key.
            if !lower.isEmpty { unsafe key = MDB_val(lower) }
            code = unsafe cursor.move(lower.isEmpty ? MDB_FIRST : MDB_SET_RANGE, &key, &value)
        } else if let upper = unsafe upper {
            unsafe key = MDB_val(upper)
            code = unsafe cursor.move(MDB_SET_RANGE, &key, &value)
            let before = code == MDB_NOTFOUND ? MDB_LAST : MDB_PREV
            if code == MDB_SUCCESS || code == MDB_NOTFOUND {
                code = unsafe cursor.move(before, &key, &value)
            }
        } else {
            code = unsafe cursor.move(MDB_LAST, &key, &value)
        }
        let step = reversed ? MDB_PREV : MDB_NEXT
        let pages = environment.pages
        var seen = pages?.nothingSeen
        while code == MDB_SUCCESS {
            let isSeen = unsafe seen?.covers(key, value) ?? true
            if !isSeen, let pages, var looked = seen {
                try unsafe pages.checkEnds(key, value, &looked)
                seen = looked
            }
            if reversed {
                if unsafe key.isBefore(lower) { return }
            } else if let upper = unsafe upper, unsafe !key.isBefore(upper) {
                return
            }
            if !isSeen, let pages, var looked = seen {
                try unsafe pages.checkPages(key, value, &looked)
                seen = looked
            }
            if !reversed { unsafe MDB_val.prefetchEntries(behind: key, value) }
            // SAFETY: the bytes stay valid until the transaction ends or writes, and `body` does neither.
            let keyBytes = unsafe key.bytes
            let valueBytes = unsafe value.bytes
            guard try unsafe body(keyBytes.span, valueBytes.span) == .next else { return }
            code = unsafe cursor.move(step, &key, &value)
        }
        guard code != MDB_NOTFOUND else { return }
        try environment.check(code, in: "read")
    }

    /// Throws if a missing key was looked up in a page that belongs to another place.
    private func checkNeighbours(of key: Span<UInt8>) throws(DataStoreError) {
        guard let pages = environment.pages else { return }
        let cursor = try takeCursor()
        var found = unsafe MDB_val()
        var value = unsafe MDB_val()
        let code = unsafe key.withUnsafeBufferPointer { bytes in
            unsafe found = MDB_val(bytes)
            return unsafe cursor.move(MDB_SET_RANGE, &found, &value)
        }
        if code == MDB_SUCCESS { try unsafe pages.check(found) }
        let before = code == MDB_SUCCESS ? MDB_PREV : MDB_LAST
        if unsafe cursor.move(before, &found, &value) == MDB_SUCCESS {
            try unsafe pages.check(found)
        }
        spareCursor = consume cursor
    }

    private func takeCursor() throws(DataStoreError) -> Cursor {
        try environment.checkProcess(in: "read")
        if let cursor = spareCursor.take() { return cursor }
        return try openCursor()
    }

    final func openCursor() throws(DataStoreError) -> Cursor {
        var cursor: OpaquePointer?
        let code = try unsafe mdb_cursor_open(pointer(), environment.table, &cursor)
        try environment.check(code, in: "read")
        guard let cursor = unsafe cursor else { throw ended }
        return unsafe Cursor(owning: cursor)
    }

    /// The open transaction, which must not be kept: it ends with the block.
    @unsafe final func pointer() throws(DataStoreError) -> OpaquePointer {
        guard let pointer = unsafe handle?.pointer else { throw ended }
        try environment.checkProcess(in: "read")
        return unsafe pointer
    }

    final var ended: DataStoreError {
        DataStoreError(
            .blockEnded, in: "read",
            "A transaction of LMDB was used after its block had ended. Use it only inside the block."
        )
    }
}
