import CLMDB

/// An open transaction of LMDB; aborts itself unless committed.
@safe struct TransactionHandle: ~Copyable {
    let pointer: OpaquePointer
    private let forkCount = ForkCount.current

    /// Takes ownership of an open transaction.
    @unsafe init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit {
        // In a forked child, the slot of the reader table and the lock still belong to the parent.
        if ForkCount.current == forkCount { unsafe mdb_txn_abort(pointer) }
    }

    /// The number of the snapshot, which the next commit increases by one.
    var number: UInt64 { UInt64(unsafe mdb_txn_id(pointer)) }

    /// Commits, and returns the code of LMDB; the transaction has ended in any case.
    consuming func commit() -> Int32 {
        let pointer = unsafe pointer
        discard self
        return unsafe mdb_txn_commit(pointer)
    }

    /// Releases the snapshot of a read transaction, but keeps its slot in the reader table.
    consuming func reset() -> IdleReader {
        let pointer = unsafe pointer
        discard self
        unsafe mdb_txn_reset(pointer)
        return unsafe IdleReader(pointer)
    }
}

/// A read transaction between two uses, to be renewed or ended.
// With MDB_NOTLS a read transaction does not belong to a thread.
@safe struct IdleReader: @unchecked Sendable {
    private let pointer: OpaquePointer

    fileprivate init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

    /// The transaction on a new snapshot; `nil` if LMDB refuses, in which case it has ended.
    func renew() -> TransactionHandle? {
        let transaction = unsafe TransactionHandle(owning: pointer)
        guard unsafe mdb_txn_renew(pointer) == MDB_SUCCESS else { return nil }
        return transaction
    }

    /// Ends the transaction, and frees its slot.
    func end() { unsafe mdb_txn_abort(pointer) }
}
