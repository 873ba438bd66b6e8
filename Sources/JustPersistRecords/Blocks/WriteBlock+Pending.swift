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
        // Most blocks write one or two types; a table that is listed twice has nothing to write the second time.
        var indexed: [RecordTable] = []
        if writer.isRemote { try prepareWriting(pending) }
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
        if writer.isRemote {
            try storage { () throws(DataStoreError) in try prepareEntries(of: Array(usedTables)) }
        }
        for table in indexed { try writeEntries(of: table) }
        // Keeps the buffer for the next items.
        pending.removeAll(keepingCapacity: true)
        // Releasing an item may have changed another one.
        if dirty.isEmpty { swap(&pending, &dirty) }
    }

    /// Looks up together the stored records that are needed to write items.
    private func prepareWriting(_ pending: [Pending]) throws(DataStoreError) {
        var keys: [[UInt8]] = []
        for item in pending where item.backing.isStored && !item.backing.isDeleted {
            guard let table = item.backing.type.table, isObserved || !table.indexes.isEmpty
            else { continue }
            keys.append(table.recordKey(item.backing.id))
        }
        try storage { () throws(DataStoreError) in try writer.prepare(keys: keys, ranges: []) }
    }

    /// Looks up together what the end of the block needs: counters, and entries with equal unique values.
    func prepareEntries(of tables: [RecordTable]) throws(DataStoreError) {
        var keys: [[UInt8]] = []
        var ranges: [KeyRange] = []
        for table in tables { table.addPreparations(&keys, &ranges) }
        try writer.prepare(keys: keys, ranges: ranges)
    }

    private func write(
        _ backing: LiveBacking, _ table: RecordTable
    ) throws(DataStoreError) {
        backing.close(seed: RecordFormat.seed(type: table.number, id: backing.id))
        let record = backing.record.bytes
        backing.type.noteLength(record.count)
        try put(
            record.span, id: backing.id, changes: backing.isStored ? backing.changes : nil,
            in: table)
        backing.isStored = true
        backing.changes = AttributeSet()
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
}
