import JustPersist

/// The changes of a write block, for the change log and for observers.
extension WriteBlock {
    /// The changes of each type's items.
    private var changedParts: [ChangeLogEntry.Part] {
        usedTables.filter(\.changes.isAny).sorted { $0.number < $1.number }.map { table in
            ChangeLogEntry.Part(type: table.number, events: table.changes.known)
        }
    }

    /// Writes the entry of the commit to the change log, if the store keeps one.
    ///
    /// - Parameter header: The header of the commit, which is written after this.
    func writeLogEntry(
        to writer: any KeyValueWriter, _ header: inout StoreHeader
    ) throws(DataStoreError) {
        guard var log = header.changeLog else { return }
        var entry = ChangeLogEntry(changedParts)
        entry.shorten(to: log.entryLimit)
        let bytes = entry.encoded(commit: header.commit)
        try writer.put(bytes, forKey: ChangeLogEntry.key(header.commit))
        log.size += UInt64(bytes.count + ChangeLogEntry.keyLength)
        if log.isTooLong(at: header.commit) {
            try dropOldest(of: &log, at: header.commit, from: writer)
        }
        header.changeLog = log
    }

    /// Drops the oldest entries of the log until it is within its length.
    private func dropOldest(
        of log: inout ChangeLogState, at commit: UInt64, from writer: any KeyValueWriter
    ) throws(DataStoreError) {
        var size = log.size
        var first = log.first
        let length = log.length
        let all = KeyRange(
            from: ChangeLogEntry.key(log.first), upTo: ChangeLogEntry.key(commit))
        try writer.scan(all, reversed: false) { (key, value) throws(DataStoreError) in
            guard let known = ChangeLogEntry.commit(of: key) else { return .next }
            if commit &- known < UInt64(length.commits), size <= UInt64(length.bytes) {
                return .stop
            }
            size -= min(size, UInt64(key.count + value.count))
            first = known + 1
            return .next
        }
        _ = try writer.deleteAll(
            in: KeyRange(from: ChangeLogEntry.key(log.first), upTo: ChangeLogEntry.key(first)))
        log.first = first
        log.size = size
    }

    /// The changes of the block, for observers.
    func changes(_ types: (CatalogType) -> ChangedType) -> [ChangedItems] {
        changedParts.compactMap { part in
            known.catalog[part.type].map { ChangedItems(types($0), part.events) }
        }
    }
}

extension Block {
    /// The token of the state that the block sees.
    func changeToken() throws(DataStoreError) -> ChangeToken {
        try checkOpen("changeToken")
        context.feed.retain()
        let commit = try StoreHeader(reading: reader)?.commit ?? 0
        return ChangeToken(origin: context.historyID, position: commit)
    }
}
