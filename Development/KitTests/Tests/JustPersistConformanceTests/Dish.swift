import JustPersist

/// The item class of these tests.
final class Dish: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Dish",
        attributes: [
            AttributeSchema("name", kinds: [.string], keyPath: \Dish.name),
            AttributeSchema("price", kinds: [.int], keyPath: \Dish.price),
        ])

    let backing: any ItemBacking

    init(backing: any ItemBacking) { self.backing = backing }

    var name: String? {
        get { optionalAttribute(at: 0) }
        set { setOptionalAttribute(newValue, at: 0) }
    }
    var price: Int? {
        get { optionalAttribute(at: 1) }
        set { setOptionalAttribute(newValue, at: 1) }
    }
}

extension DataStore {
    /// Adds dishes whose prices count up from 0, and gives their ids.
    @discardableResult
    func add(_ names: String...) throws -> [ItemID] {
        try write { db in
            try names.enumerated().map { price, name in
                let dish = try db.create(Dish.self)
                dish.name = name
                dish.price = price
                return dish.uniqueToken
            }
        }
    }

    /// Changes the dish of that name.
    func change(_ name: String, _ body: @Sendable (Dish) -> Void) throws {
        try write { db in
            for dish in try db.items(Dish.self, where: \.name == name) { body(dish) }
        }
    }

    /// Deletes the dish of that name.
    func delete(_ name: String) throws {
        try write { db in
            for dish in try db.items(Dish.self, where: \.name == name) { try db.delete(dish) }
        }
    }

    /// The names and prices of all dishes, in the order of creation.
    func dishes() throws -> [String] {
        try read { db in
            try db.items(Dish.self).map {
                "\($0.name ?? "-") \($0.price.map { "\($0)" } ?? "-")"
            }
        }
    }

    /// An open child of this store.
    func openChild() throws -> any DataStore {
        let child = try makeChild()
        try child.open()
        return child
    }
}
