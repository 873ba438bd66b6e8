import JustPersist

/// The uniqueness constraints of a target that an import would violate between its blocks.
///
/// A row may hand its value on to a row that another block writes. The constraint is dropped before the first row is written, and
/// declared again after the last one. If an import ends in between, the next one declares what the model demands.
struct ReleasedUniqueness {
    /// The dropped indexes that the model does not have, by type.
    private(set) var others: [String: [IndexSchema]] = [:]
    private(set) var notes: [CoreDataImport.Note] = []

    /// An item that has a unique value of a row.
    private struct Holder {
        let id: ItemID
        let index: IndexSchema
        let row: Int64
    }

    /// Drops the constraints of a type for which that is necessary, and takes values from items whose rows were deleted.
    ///
    /// - Throws: `.uniqueViolation` if another item, or one that cannot lose it, has a value of a row.
    mutating func release(
        _ kind: Layout.ItemKind, of source: ItemSource, in db: borrowing DataStoreWriter
    ) throws(DataStoreError) {
        let declared =
            try db.schemas().first { $0.itemTypeKey == kind.name }?.indexes
            .filter(\.isUnique) ?? []
        let demanded = source.findings.unique[kind.name] ?? UniqueValues([])
        let further = try source.values(
            of: kind, declared.filter { !demanded.indexes.contains($0) })
        if let (index, rows) = further.agreements.first {
            throw DataStoreError(
                .uniqueViolation, in: "import",
                """
                \(index.names) of “\(kind.name)” is unique in the store, and is equal in the rows \(rows.prefix(5).rowNames) of \
                “\(source.store.name)”. Nothing was written. Drop the index, or change the rows with the program that wrote them.
                """, itemType: kind.name, attribute: index.attributes[0])
        }
        if demanded.indexes.isEmpty && further.indexes.isEmpty { return }
        let unmet = Set(demanded.agreements.map(\.index))
        var dropped = unmet
        var left: [Holder] = []
        let ids = source.ids(of: kind)
        var others: Holder?
        try db.performScan(DataStoreRequest(itemTypeKey: kind.name)) { item in
            let key = ids.key(item.uniqueToken)
            let row = key.flatMap { source.has($0, of: kind) ? $0 : nil }
            for values in [demanded, further] {
                for (place, index) in values.indexes.enumerated() {
                    let owner = values.owner(at: place) { name in
                        (try? item.backing.value(forAttribute: name)) ?? .null
                    }
                    guard let owner, owner != row, !dropped.contains(index) || row == nil else {
                        continue
                    }
                    let holder = Holder(id: item.uniqueToken, index: index, row: owner)
                    if row != nil {
                        dropped.insert(index)
                    } else if key != nil {
                        left.append(holder)
                    } else if others == nil {
                        others = holder
                    }
                }
            }
        }
        if let others, !unmet.contains(others.index) {
            throw Self.taken(others, kind, "was not imported")
        }
        var cleared: [IndexSchema: Int] = [:]
        for holder in left where !unmet.contains(holder.index) {
            let attribute = holder.index.attributes.first { kind.isOptional($0, source.findings) }
            guard let attribute else { throw Self.taken(holder, kind, "has no row any more") }
            let item = try db.performFetchItem(ItemType(dynamic: kind.name), id: holder.id)
            try item?.backing.storeBacking.setValue(.null, forAttribute: attribute)
            cleared[holder.index, default: 0] += 1
        }
        for (index, count) in cleared {
            notes.append(
                .init(
                    kind.name, index.attributes.joined(separator: ", "),
                    """
                    was unique in items whose rows do not exist any more, and is now in other rows: set to null in these items
                    """, count))
        }
        for index in declared where dropped.contains(index) {
            _ = try db.dropIndex(index, ofType: kind.name)
            if !demanded.indexes.contains(index) {
                self.others[kind.name, default: []].append(index)
            }
        }
    }

    private static func taken(
        _ holder: Holder, _ kind: Layout.ItemKind, _ reason: String
    ) -> DataStoreError {
        DataStoreError(
            .uniqueViolation, in: "import",
            """
            The item \(holder.id) of “\(kind.name)”, which \(reason), has the \(holder.index.names) of the row p\(holder.row), and it \
            is unique. Nothing was written. Delete the item or change it, and import again.
            """, itemType: kind.name, attribute: holder.index.attributes[0])
    }
}

extension IndexSchema {
    /// The names of the attributes, for messages.
    fileprivate var names: String { attributes.map { "“\($0)”" }.joined(separator: " with ") }
}

extension Layout.ItemKind {
    /// Whether an attribute is declared as optional.
    fileprivate func isOptional(_ name: String, _ findings: Findings) -> Bool {
        guard let attribute = fields.first(where: { $0.attribute.name == name })?.attribute else {
            return false
        }
        return attribute.isOptional || findings[.init(kind: self.name, name: name), .null] != nil
    }
}
