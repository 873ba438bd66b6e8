import Foundation
import JustPersistMacros

/// A restaurant as the README declares its own: with defaults, some of its attributes optional.
@Item("Restaurant") final class RestaurantItem {
    var name: String = ""
    var cuisine: String?
    var borough: String = ""
    var street: String = ""
    var zipcode: String = ""
    var stars: Int = 0
    var rating: Double = 0
    var opened: Date?
    var isOpen: Bool = true

    var digest: Int { Restaurant.digest(name: name, stars: stars) }

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
