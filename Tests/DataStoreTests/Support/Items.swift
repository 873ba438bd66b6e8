import Foundation
import JustPersist

/// An item class that is written by hand, without the macro.
final class Restaurant: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Restaurant",
        attributes: [
            AttributeSchema("name", kinds: [.string], keyPath: \Restaurant.name),
            AttributeSchema("cuisine", kinds: [.string], keyPath: \Restaurant.cuisine),
            AttributeSchema("stars", kinds: [.int], keyPath: \Restaurant.stars),
            AttributeSchema("opened", kinds: [.date], keyPath: \Restaurant.opened),
            AttributeSchema("value", keyPath: \Restaurant.value),
        ])

    let backing: any ItemBacking

    init(backing: any ItemBacking) { self.backing = backing }

    var name: String? {
        get { optionalAttribute(at: 0) }
        set { setOptionalAttribute(newValue, at: 0) }
    }
    var cuisine: String? {
        get { optionalAttribute(at: 1) }
        set { setOptionalAttribute(newValue, at: 1) }
    }
    var stars: Int {
        get { attribute(at: 2, default: 0) }
        set { setAttribute(newValue, at: 2) }
    }
    var opened: Date? {
        get { optionalAttribute(at: 3) }
        set { setOptionalAttribute(newValue, at: 3) }
    }
    /// A value of any kind.
    var value: DataStoreValue {
        get { attribute(at: 4, default: .null) }
        set { setAttribute(newValue, at: 4) }
    }
}

/// A type whose key begins with another's.
final class RestaurantOwner: MutableDataStoreItem {
    static let schema = ItemSchema(
        "RestaurantOwner",
        attributes: [AttributeSchema("name", keyPath: \RestaurantOwner.name)])

    let backing: any ItemBacking

    init(backing: any ItemBacking) { self.backing = backing }

    var name: String? {
        get { optionalAttribute(at: 0) }
        set { setOptionalAttribute(newValue, at: 0) }
    }
}

/// An item with attributes of any kind.
final class Sample: MutableDataStoreItem {
    static let names = ["a", "b", "c", "d", "e"]
    static let schema = ItemSchema("Sample", attributes: names.map { AttributeSchema($0) })

    var backing: any ItemBacking

    init(backing: any ItemBacking) { self.backing = backing }

    /// The value of the attribute at a place in ``names``.
    subscript(index: Int) -> DataStoreValue {
        get { attribute(at: index, default: .null) }
        set { setAttribute(newValue, at: index) }
    }
}

extension DataStore {
    /// Adds restaurants with these names; their stars count up from 0.
    func fill(_ names: [String]) throws {
        try write { db in
            for (stars, name) in names.enumerated() {
                let restaurant = try db.create(Restaurant.self)
                restaurant.name = name
                restaurant.stars = stars
            }
        }
    }

    /// The names of the restaurants, in the order of their creation.
    func names(where predicate: DataStorePredicate? = nil) throws -> [String?] {
        try read { db in try db.items(Restaurant.self, where: predicate).map(\.name) }
    }
}

extension DataStoreRequest {
    /// A request for the samples that match, in which undeclared names are allowed.
    convenience init(samplesWhere predicate: DataStorePredicate) {
        self.init(type: ItemType(Sample.self), predicate: predicate)
    }
}
