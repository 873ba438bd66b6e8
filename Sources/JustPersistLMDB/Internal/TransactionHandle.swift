import CLMDB

/// An open transaction of LMDB; aborts itself unless committed.
@safe struct TransactionHandle: ~Copyable {
    let pointer: OpaquePointer
    private let forkCount = ForkCount.current

    /// Takes over an open transaction.
    @unsafe init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit {
        // In a child made by fork, the slot of the reader table and the lock are still the parent's.
        if ForkCount.current == forkCount { unsafe mdb_txn_abort(pointer) }
    }

    /// The number of the snapshot, which the next commit raises by one.
    var number: UInt64 { UInt64(unsafe mdb_txn_id(pointer)) }

    /// Commits, and returns the code of LMDB; whatever it is, the transaction has ended.
    consuming func commit() -> Int32 {
        let pointer = unsafe pointer
        discard self
        return unsafe mdb_txn_commit(pointer)
    }

    /// Gives the snapshot of a transaction for reading up, but keeps its slot in the reader table.
    consuming func reset() -> IdleReader {
        let pointer = unsafe pointer
        discard self
        unsafe mdb_txn_reset(pointer)
        return unsafe IdleReader(pointer)
    }
}

/// A transaction for reading between two uses, to be renewed or given up.
// With MDB_NOTLS a transaction for reading belongs to no thread.
@safe struct IdleReader: @unchecked Sendable {
    private let pointer: OpaquePointer

    fileprivate init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

    /// The transaction on a new snapshot, or `nil` if LMDB refuses; it is given up then.
    func renew() -> TransactionHandle? {
        let transaction = unsafe TransactionHandle(owning: pointer)
        guard unsafe mdb_txn_renew(pointer) == MDB_SUCCESS else { return nil }
        return transaction
    }

    /// Gives the transaction and its slot up.
    func end() { unsafe mdb_txn_abort(pointer) }
}
