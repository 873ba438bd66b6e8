import JustPersist

/// A copy of the items of a store, but for those of which there are very many.
struct StoreCopy: Sendable {
    private static let types = ["Account", "Journal", "Marker", "Page", "Word"]

    private var items: [ItemReference: [String: DataStoreValue]] = [:]
    /// The place in the store's history behind what was applied.
    private(set) var token: ChangeToken?

    init() {}

    /// All that is there.
    init(of db: borrowing DataStoreReader) throws {
        for type in Self.types {
            for values in try db.dynamicValues(DataStoreRequest(itemTypeKey: type)) {
                let reference = ItemReference(itemTypeKey: type, id: values.uniqueToken)
                items[reference] = values.values
            }
        }
    }

    func has(_ item: ItemReference) -> Bool { items[item] != nil }

    /// Reads the items that a change names, or all if it does not name them.
    mutating func apply(_ change: ChangeSet, _ db: borrowing DataStoreReader) throws {
        if !change.isComplete || !change.types.allSatisfy(\.isComplete) {
            self = try StoreCopy(of: db)
        } else {
            for type in change.types where Self.types.contains(type.itemTypeKey) {
                for id in type.inserted + type.updated.map(\.id) + type.deleted {
                    let reference = ItemReference(itemTypeKey: type.itemTypeKey, id: id)
                    items[reference] = try db.dynamicItem(reference)?.values()
                }
            }
        }
        token = change.token
    }

    /// An item in which the copies differ, and how; `nil` if they are the same.
    func difference(from other: StoreCopy) -> String? {
        for key in Set(items.keys).union(other.items.keys) where items[key] != other.items[key] {
            return "\(key) is \(items[key] ?? [:]), and should be \(other.items[key] ?? [:])"
        }
        return nil
    }
}
