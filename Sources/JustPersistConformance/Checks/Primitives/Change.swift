import JustPersist

/// A primitive with which a write block changes its store.
///
/// `set` is a primitive of items.
enum Change: String, CaseIterable, Sendable {
    case create, insert, delete, deleteAll, mutableVersion, set, declare, dropIndex

    /// The name of the primitive in the protocol.
    var primitive: String {
        [.set, .declare, .dropIndex].contains(self) ? rawValue : primitiveName(rawValue)
    }

    /// Calls the primitive `count` times in an open block, or for `count` items, and updates the shelf.
    ///
    /// `frozen` contains the items that an earlier read block has returned, for `performMutableVersion(of:)`.
    func apply(
        _ count: Int, to shelf: inout Shelf, frozen: [any DataStoreItem] = [],
        _ db: borrowing DataStoreWriter, _ check: CheckContext
    ) throws {
        switch self {
        case .create:
            for number in 0..<count {
                let item = try Self.create(
                    withID: number < 4 && number.isMultiple(of: 2), shelf, db, check)
                try item.backing.setValue(.int(Int64(number)), forAttribute: "number")
                shelf.put(item.uniqueToken, number: number)
            }
        case .insert:
            for number in 0..<count {
                // Every second item is changed after it was inserted, because it is then live.
                let first = number.isMultiple(of: 2) ? number : -1
                let item = DynamicItem(Shelf.key, values: ["number": .int(Int64(first))])
                check.expect(try db.performInsert(item), "performInsert of a new item gave false")
                if first != number { item["number"] = .int(Int64(number)) }
                shelf.put(item.uniqueToken, number: number)
            }
        case .delete:
            for entry in shelf.items.prefix(count) {
                let item = try check.require(
                    try db.performFetchItem(Shelf.type, id: entry.id), "an item to be deleted")
                check.expect(
                    try db.performDelete(item), "performDelete of an item that is there gave false")
                shelf.remove(entry.id)
            }
        case .deleteAll:
            try db.performDeleteAll([Shelf.type])
            shelf.removeAll()
        case .mutableVersion:
            let known = Dictionary(
                frozen.map { ($0.uniqueToken, $0) }, uniquingKeysWith: { first, _ in first })
            for entry in shelf.items.prefix(count) {
                let item = try check.require(
                    try known[entry.id] ?? db.performFetchItem(Shelf.type, id: entry.id),
                    "an item whose live object is asked for")
                let live = try check.require(
                    try db.performMutableVersion(of: item), "the live object of an item")
                try Self.raise(live, entry, on: &shelf)
            }
        case .set:
            for entry in shelf.items.prefix(count) {
                let item = try check.require(
                    try db.performFetchItem(Shelf.type, id: entry.id) as? any MutableDataStoreItem,
                    "an item to be changed")
                try Self.raise(item, entry, on: &shelf)
            }
        case .declare:
            for _ in 0..<count {
                let key = "\(Shelf.key)Kind\(shelf.types.count)"
                try db.declare(ItemSchema(key, attributes: [AttributeSchema("number")]))
                let item = try db.performCreate(ItemType(dynamic: key))
                try item.backing.setValue(.int(0), forAttribute: "number")
                shelf.note(["number"], of: key)
                check.tick()
            }
        case .dropIndex:
            for number in 0..<min(count, 20) {
                let index = IndexSchema(["number"], isUnique: false, ignoresCase: number % 2 == 1)
                try db.declare(
                    ItemSchema(
                        Shelf.key, attributes: [AttributeSchema("number")], indexes: [index]))
                try Change.create.apply(1, to: &shelf, db, check)
                check.expect(
                    try db.dropIndex(index, ofType: Shelf.key),
                    "dropIndex of an index that is declared gave false")
                check.expect(
                    try !db.dropIndex(index, ofType: Shelf.key),
                    "dropIndex of an index that was dropped gave true")
                try Change.set.apply(1, to: &shelf, db, check)
            }
        }
    }

    /// Creates an item with a new id that the store chooses, or that is given.
    private static func create(
        withID: Bool, _ shelf: Shelf, _ db: borrowing DataStoreWriter, _ check: CheckContext
    ) throws -> any MutableDataStoreItem {
        guard withID else {
            let item = try db.performCreate(Shelf.type)
            check.expect(
                !shelf.contains(item.uniqueToken),
                "performCreate gave an item that is there already")
            return item
        }
        let id = ItemID()
        let item = try check.require(
            try db.performCreate(Shelf.type, id: id), "performCreate(_:id:) of a new id")
        check.expectEqual(item.uniqueToken, id, "the id of an item from performCreate(_:id:)")
        check.expect(
            try db.performCreate(Shelf.type, id: id) == nil,
            "performCreate(_:id:) gave a second item with one id")
        check.expect(
            try db.performFetchItem(Shelf.type, id: id) === item,
            "performFetchItem gave another object for an item from performCreate(_:id:)")
        if let entry = shelf.items.first {
            check.expect(
                try db.performCreate(Shelf.type, id: entry.id) == nil,
                "performCreate(_:id:) gave an item with the id of a stored one")
        }
        return item
    }

    private static func raise(
        _ item: any MutableDataStoreItem, _ entry: Shelf.Entry, on shelf: inout Shelf
    ) throws {
        try item.backing.setValue(.int(Int64(entry.number + 1_000)), forAttribute: "number")
        shelf.put(entry.id, number: entry.number + 1_000)
    }
}
