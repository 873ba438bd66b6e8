import Foundation
import JustPersist

enum PriceRange: Int, Codable, CaseIterable, Comparable {
    case low = 1
    case high = 3

    static func < (left: PriceRange, right: PriceRange) -> Bool { left.rawValue < right.rawValue }
}

struct Address: Codable, Equatable {
    var city: String
}

/// An item class that is written without the macro.
final class Restaurant: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Restaurant",
        attributes: [
            AttributeSchema("title", keyPath: \Restaurant.name),
            AttributeSchema("stars", keyPath: \Restaurant.stars),
            AttributeSchema("isOpen", keyPath: \Restaurant.isOpen),
            AttributeSchema("tags", keyPath: \Restaurant.tags),
            AttributeSchema("aliases", keyPath: \Restaurant.aliases),
            AttributeSchema("opened", keyPath: \Restaurant.opened),
            AttributeSchema("price", keyPath: \Restaurant.price),
            AttributeSchema("address", keyPath: \Restaurant.address),
            AttributeSchema("chef", keyPath: \Restaurant.chef),
            AttributeSchema("cuisine", keyPath: \Restaurant.cuisine),
        ])

    let backing: any ItemBacking

    init(backing: any ItemBacking) { self.backing = backing }

    var name: String? { optionalAttribute(at: 0) }
    var stars: Int { attribute(at: 1, default: 0) }
    var isOpen: Bool { attribute(at: 2, default: false) }
    var tags: [String] { attribute(at: 3, default: []) }
    var aliases: [String]? { optionalAttribute(at: 4) }
    var opened: Date? { optionalAttribute(at: 5) }
    var price: PriceRange? { optionalAttribute(at: 6) }
    var address: Address? { optionalAttribute(at: 7) }
    var chef: ItemReference? { optionalAttribute(at: 8) }
    var cuisine: String { attribute(at: 9, default: "") }
    var unlisted: Int { 0 }
    /// A property that no store keeps.
    var tag = ""
}
