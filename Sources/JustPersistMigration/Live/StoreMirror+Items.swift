import JustPersist

/// The items of both stores.
extension StoreMirror {
    /// The maximum size in bytes of the values in one write block of the replica.
    private var batchBytes: Int { min(4 << 20, replica.capabilities.limits.writeBlockBytes / 2) }

    /// Makes items of the replica the same as in the primary; returns the items that differed.
    @discardableResult
    func copy(
        _ ids: [ItemID], ofType key: String, _ schema: ItemSchema?,
        from primary: borrowing DataStoreReader
    ) throws -> [ItemID] {
        let type = ItemType(dynamic: key)
        // The attributes for which null and a missing value differ.
        let nullable = schema?.attributes.filter { $0.defaultValue != nil }.map(\.name) ?? []
        var copied: [ItemID] = []
        var differences: [ItemState] = []
        var bytes = 0
        let batchBytes = batchBytes
        func flush() throws {
            if differences.isEmpty { return }
            try replica.write(differences, ofType: key)
            copied += differences.map(\.id)
            (differences, bytes) = ([], 0)
        }
        try replica.performRead { replica in
            for id in ids {
                let item = try primary.performFetchItem(type, id: id)
                let copy = try replica.performFetchItem(type, id: id)
                if let item, let copy {
                    if try item.hasSameValues(as: copy) { continue }
                } else if item == nil, copy == nil {
                    continue
                }
                let values = try item?.storedValues(withNullsOf: nullable)
                differences.append(ItemState(id: id, values: values))
                // An item that is changed is in memory with its present values too.
                let replaced = values == nil ? nil : try copy?.storedValues()
                for case let values? in [values, replaced] {
                    for value in values.values {
                        bytes += value.storedSize(limit: batchBytes) ?? 0
                    }
                }
                bytes += 64
                if bytes >= batchBytes { try flush() }
            }
        }
        try flush()
        return copied
    }
}
