import JustPersist

/// Writes changed items: before a query, when there are many of them, and at the end of the block.
extension WriteBlock {
    /// Counts the changes of an item, and adds it to the items to be written.
    func didChange(_ backing: LiveBacking) {
        let bytes = backing.bytesToWrite
        let growth = bytes - backing.countedBytes
        backing.countedBytes = bytes
        changedBytes += growth
        if backing.isDirty {
            pendingBytes += growth
            return
        }
        // A failure marks the block as failed; the next call and the end of the block report it.
        if pendingBytes >= Self.pendingLimit { try? flush() }
        backing.isDirty = true
        pendingBytes += bytes
        dirty.append(Pending(backing: backing))
    }

    /// Counts bytes that were written, but not as items.
    func noteBytes(_ count: Int) { changedBytes += count }

    /// Whether that many more bytes are within the limit of the block.
    @inline(__always)
    func hasRoom(for bytes: Int) -> Bool {
        changedBytes <= context.limits.writeBlockBytes - bytes
    }

    /// Drops an item that was deleted or must not be written, and no longer counts its bytes.
    func drop(_ backing: LiveBacking) {
        backing.isDeleted = true
        changedBytes -= backing.countedBytes
        backing.countedBytes = 0
    }

    /// Writes pending changes, and releases unused items.
    func makeRoom() throws(DataStoreError) {
        try flush()
        if live.wantsSweep { dropUnusedItems() }
    }

    /// Writes the items that were changed since the last flush.
    func flush() throws(DataStoreError) {
        if let poison { throw poison }
        guard !dirty.isEmpty else { return }
        // A local variable, which needs no exclusivity check for each item.
        var pending: [Pending] = []
        swap(&pending, &dirty)
        pendingBytes = 0
        firstNewID = nil
        hasWritten = true
        // Most blocks write one or two types; a table that is listed twice has nothing to write the second time.
        var indexed: [RecordTable] = []
        for index in pending.indices {
            let backing = pending[index].backing
            guard !backing.isDeleted, let table = backing.type.table else { continue }
            try write(backing, table)
            if !table.indexes.isEmpty, indexed.last !== table { indexed.append(table) }
            if pending[index].newItem != nil,
                !isKnownUniquelyReferenced(&pending[index].newItem)
            {
                live.add(
                    pending[index].newItem, type: table.number, id: backing.id,
                    bytes: backing.countedBytes)
            }
        }
        try storage { () throws(DataStoreError) in
            for table in indexed {
                try table.writeEntries(to: writer)
                noteUnjudged(table)
            }
        }
        // Keeps the buffer for the next items.
        pending.removeAll(keepingCapacity: true)
        // Releasing an item may have changed another one.
        if dirty.isEmpty { swap(&pending, &dirty) }
    }

    @inline(__always)
    func write(
        _ backing: LiveBacking, _ table: RecordTable
    ) throws(DataStoreError) {
        backing.close(seed: RecordFormat.seed(type: table.number, id: backing.id))
        let record = backing.record.bytes
        if let number = backing.type.table?.number {
            noteTags(of: record.span, ofType: number) { tag, attribute in
                backing.type.hasNoted(tag: tag, ofAttribute: attribute)
            }
        }
        backing.type.noteLength(record.count)
        do throws(DataStoreError) {
            try table.put(
                record.span, id: backing.id, changes: backing.isStored ? backing.changes : nil,
                to: writer)
            backing.isStored = true
            backing.changes = AttributeSet()
        } catch {
            poison = error
            throw error
        }
        backing.isDirty = false
    }

    /// Releases items that only this block holds.
    func dropUnusedItems() {
        for index in inserted.indices.reversed()
        where isKnownUniquelyReferenced(&inserted[index].backing) {
            inserted.swapAt(index, inserted.count - 1)
            inserted.removeLast()
        }
        live.dropUnused()
    }

    /// Schedules a table's check of uniqueness, before the next query and the commit.
    func noteUnjudged(_ table: RecordTable) {
        if !table.uniqueEntries.entries.isEmpty { unjudged.append(table) }
    }

    func checkUniqueness() throws(DataStoreError) {
        if unjudged.isEmpty { return }
        try storage { () throws(DataStoreError) in
            for table in unjudged { try table.checkUniqueness(in: writer) }
        }
        unjudged = []
    }
}
