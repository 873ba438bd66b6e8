import JustPersist

/// An item as a store should have it.
struct ItemState: Sendable {
    let id: ItemID
    /// The values, with null for an attribute that has a default but no value; `nil` if there should be no such item.
    let values: [String: DataStoreValue]?
}

extension DataStore {
    /// Creates, changes and deletes items of one type in one write block, so that each is as given.
    func write(_ states: [ItemState], ofType key: String) throws {
        let type = ItemType(dynamic: key)
        try performWrite { db in
            // Items are looked up before any change, deletions come first and new items last: a query in between would
            // check the uniqueness of values that one item passes on to another. Deleted items are not kept, because they
            // may be many and large.
            var known: [(any DataStoreItem)?] = []
            for state in states {
                let item = try db.performFetchItem(type, id: state.id)
                if let item, state.values == nil { _ = try db.performDelete(item) }
                known.append(state.values == nil ? nil : item)
            }
            for (item, state) in zip(known, states) {
                guard let backing = item?.backing, let values = state.values else { continue }
                for name in backing.attributeNames {
                    let value = values[name] ?? .null
                    if try backing.value(forAttribute: name).isIdentical(to: value) { continue }
                    try backing.setValue(value, forAttribute: name)
                }
            }
            for (item, state) in zip(known, states) where item == nil {
                guard let values = state.values else { continue }
                _ = try db.performInsert(DynamicItem(key, id: state.id, values: values))
            }
        }
    }
}
