import Foundation
import JustPersistMacros

/// A restaurant class of one of the stores.
protocol RestaurantEntity: MutableDataStoreItem {
    var name: String { get set }
    var cuisine: String? { get set }
    var borough: String { get set }
    var street: String { get set }
    var zipcode: String { get set }
    var stars: Int { get set }
    var rating: Double { get set }
    var opened: Date? { get set }
    var isOpen: Bool { get set }
    static var keyPathOfName: KeyPath<Self, String> { get }
}

/// A restaurant as in the README: with defaults, and some optional attributes.
@Item("Restaurant") final class RestaurantItem: RestaurantEntity {
    var name: String = ""
    var cuisine: String?
    var borough: String = ""
    var street: String = ""
    var zipcode: String = ""
    var stars: Int = 0
    var rating: Double = 0
    var opened: Date?
    var isOpen: Bool = true

    static var keyPathOfName: KeyPath<RestaurantItem, String> { \.name }
}

/// A restaurant with two indexes.
@Item("Restaurant") final class IndexedRestaurantItem: RestaurantEntity {
    var name: String = ""
    var cuisine: String?
    @Attribute(.indexed) var borough: String = ""
    var street: String = ""
    var zipcode: String = ""
    var stars: Int = 0
    @Attribute(.indexed) var rating: Double = 0
    var opened: Date?
    var isOpen: Bool = true

    static var keyPathOfName: KeyPath<IndexedRestaurantItem, String> { \.name }
}

/// A restaurant with a unique name.
@Item("Restaurant") final class NamedRestaurantItem: RestaurantEntity {
    @Attribute(.unique) var name: String = ""
    var cuisine: String?
    var borough: String = ""
    var street: String = ""
    var zipcode: String = ""
    var stars: Int = 0
    var rating: Double = 0
    var opened: Date?
    var isOpen: Bool = true

    static var keyPathOfName: KeyPath<NamedRestaurantItem, String> { \.name }
}

extension RestaurantEntity {
    @inline(__always)
    var digest: Int { Restaurant.digest(name: name, stars: stars) }

    @inline(__always)
    func fill(from restaurant: Restaurant) {
        name = restaurant.name
        cuisine = restaurant.cuisine
        borough = restaurant.borough
        street = restaurant.street
        zipcode = restaurant.zipcode
        stars = restaurant.stars
        rating = restaurant.rating
        opened = restaurant.opened
        isOpen = restaurant.isOpen
    }
}

@Item("Inspection") final class InspectionItem {
    var inspected: Date?
    var score: Int = 0
    var inspector: String = ""

    func fill(from inspection: Inspection) {
        inspected = inspection.inspected
        score = inspection.score
        inspector = inspection.inspector
    }
}
