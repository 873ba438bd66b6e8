import JustPersist

/// The end of a block: its commit, or the error that prevents it.
extension WriteBlock {
    /// Writes all pending changes for the commit; throws the error after which the block cannot be committed.
    func finish() throws(DataStoreError) {
        try thread.checkNoChangeWasLost()
        if poison == nil { try knownLinks?.judge(RecordWriteAccessor(self)) }
        try flush()
        try checkUniqueness()
        if isOfLoad, poison == nil { return }
        try storage { () throws(DataStoreError) in
            for table in usedTables {
                try table.writeCount(to: writer)
                try table.changes.settleRelated { (id) throws(DataStoreError) in
                    try table.contains(id, in: writer)
                }
            }
            let isChanged = !changedTypes.isEmpty
            guard isChanged || hasWritten else { return }
            for type in changedTypes.sorted().compactMap({ known.catalog[$0] }) {
                try writer.put(
                    type.encoded(known),
                    forKey: KeySpace.key(KeySpace.catalogTag, type: type.number))
            }
            if isChanged { known.catalog.version &+= 1 }
            header.catalogVersion = known.catalog.version
            header.commit &+= 1
            hasCommit = true
            try writeLogEntry(to: writer, &header)
            try writer.put(header.encoded(), forKey: KeySpace.header)
        }
        if let poison { throw poison }
    }

    /// Notes the outcome, and releases the inserted items.
    ///
    /// If the block was rolled back, the inserted items and the items made in it belong to no store, and can be
    /// inserted again.
    func conclude(isCommitted: Bool) {
        self.isCommitted = isCommitted
        whenEnded?(isCommitted)
        (beforeCommit, whenEnded) = (nil, nil)
        if !isCommitted {
            for item in inserted { item.backing.abandon() }
            noteAnnounced()
        }
        inserted = []
    }

    /// Notes that the block's commit was announced, or that there is none.
    func noteAnnounced() {
        if !isUnannounced { return }
        isUnannounced = false
        context.noteAnnounced()
    }

    /// Begins to load the store, if it has no records and its changes are neither logged nor observed: no other block runs
    /// until the load ends.
    func beginLoad() throws(DataStoreError) {
        let records = KeyRange(from: [KeySpace.recordTag], upTo: [KeySpace.recordTag + 1])
        if !isObserved, try !holdsKeys(in: records) { header.isLoading = true }
    }

    /// Notes that the block only adds records to a store that is being loaded, unless its changes are logged or
    /// observed by now.
    func noteLoad() { isOfLoad = header.isLoading && !isObserved }

    /// Counts the records of a store that is being loaded, and ends the load if the copy is complete.
    ///
    /// An observer that was added after the load had begun receives unknown changes of all types.
    func countLoaded(isWhole: Bool) throws(DataStoreError) {
        guard header.isLoading else { return }
        header.isLoading = !isWhole
        try storing { (writer) throws(DataStoreError) in
            for type in known.catalog.types {
                let count = try Counter.found(type.number, in: writer)
                try Counter.write(count, type: type.number, to: writer)
                if isObserved, count > 0 { table(of: type).changes.noteUnknown() }
            }
        }
    }

    /// Notes an error of the storage, after which the block's further changes could be based on wrong data.
    ///
    /// A damaged record does not make the block fail, because it must remain possible to delete the record. Neither
    /// does any other error: a call that was refused has changed nothing.
    func note(_ error: DataStoreError) {
        // A cancelled block may have received no answer in a place where its code cannot notice.
        let endsBlock =
            error.code == .storageFailure || error.code == .storageFull || error.engine != nil
            || error.code == .cancelled
        if endsBlock, error.code != .corrupted, poison == nil { poison = error }
    }

    /// Reports an error.
    ///
    /// The error that made the block fail is reported only once.
    func report(_ error: DataStoreError) {
        thread.noteReported(error)
        if thread.isCurrent, let known = poison, known.code == error.code,
            known.message == error.message
        {
            if known.isReported { return }
            poison?.isReported = true
        }
        context.report(error)
    }

    /// Runs a step that writes with the block's transaction.
    ///
    /// If it throws, the block fails.
    func storing<Value>(
        _ body: (any KeyValueWriter) throws(DataStoreError) -> Value
    ) throws(DataStoreError) -> Value {
        hasWritten = true
        return try storage { () throws(DataStoreError) in try body(writer) }
    }

    /// Runs a step that writes.
    ///
    /// If it throws, the block fails.
    func storage<Value>(
        _ body: () throws(DataStoreError) -> Value
    ) throws(DataStoreError) -> Value {
        if let poison { throw poison }
        do throws(DataStoreError) {
            return try body()
        } catch {
            poison = error
            throw error
        }
    }
}
