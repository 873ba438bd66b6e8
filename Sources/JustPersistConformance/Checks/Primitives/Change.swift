import JustPersist

/// A primitive by which a write block changes its store; `set` is the one of items.
enum Change: String, CaseIterable, Sendable {
    case make, add, remove, removeAll, thaw, set, declare

    /// Does it so many times in an open block, or to so many items, and notes on the shelf what comes of it.
    ///
    /// `frozen` are the items as an earlier read block gave them out: what is thawed.
    func apply(
        _ count: Int, to shelf: inout Shelf, frozen: [any DataStoreItem] = [],
        _ db: borrowing any DataStoreReadWriteAccessor & ~Copyable, _ check: CheckContext
    ) throws {
        switch self {
        case .make:
            for number in 0..<count {
                let item = try db.make(Shelf.type)
                check.expect(
                    !shelf.contains(item.uniqueToken), "make gave an item that is there already")
                try item.backing.setValue(.int(Int64(number)), forAttribute: "number")
                shelf.put(item.uniqueToken, number: number)
            }
        case .add:
            for number in 0..<count {
                let item = DynamicItem(Shelf.key, values: ["number": .int(Int64(number))])
                check.expect(try db.add(item), "add of a new item gave false")
                shelf.put(item.uniqueToken, number: number)
            }
        case .remove:
            for entry in shelf.items.prefix(count) {
                let item = try check.require(
                    try db.fetchItem(Shelf.type, id: entry.id), "an item to be removed")
                check.expect(try db.remove(item), "remove of an item that is there gave false")
                shelf.remove(entry.id)
            }
        case .removeAll:
            try db.removeAll([Shelf.type])
            shelf.removeAll()
        case .thaw:
            let known = Dictionary(
                frozen.map { ($0.uniqueToken, $0) }, uniquingKeysWith: { first, _ in first })
            for entry in shelf.items.prefix(count) {
                let item = try check.require(
                    try known[entry.id] ?? db.fetchItem(Shelf.type, id: entry.id),
                    "an item to be thawed")
                let live = try check.require(try db.thaw(item), "the live object of an item")
                try Self.raise(live, entry, on: &shelf)
            }
        case .set:
            for entry in shelf.items.prefix(count) {
                let item = try check.require(
                    try db.fetchItem(Shelf.type, id: entry.id) as? any MutableDataStoreItem,
                    "an item to be changed")
                try Self.raise(item, entry, on: &shelf)
            }
        case .declare:
            for _ in 0..<count {
                let key = "\(Shelf.key)Kind\(shelf.types.count)"
                try db.declare(ItemSchema(key, attributes: [AttributeSchema("number")]))
                let item = try db.make(ItemType(dynamic: key))
                try item.backing.setValue(.int(0), forAttribute: "number")
                shelf.note(["number"], of: key)
                check.tick()
            }
        }
    }

    private static func raise(
        _ item: any MutableDataStoreItem, _ entry: Shelf.Entry, on shelf: inout Shelf
    ) throws {
        try item.backing.setValue(.int(Int64(entry.number + 1_000)), forAttribute: "number")
        shelf.put(entry.id, number: entry.number + 1_000)
    }
}
