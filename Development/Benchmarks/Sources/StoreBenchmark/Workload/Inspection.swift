import Foundation

/// The second type of every store, written alternately with the restaurants: a store with a single type only appends
/// to the end of its tree, which is rare in programs.
struct Inspection: Codable, Identifiable, Sendable {
    var id: UUID
    var inspected: Date
    var score: Int
    var inspector: String
}

/// An item to store.
enum NewItem: Sendable {
    case restaurant(Restaurant)
    case inspection(Inspection)
}

extension [NewItem] {
    /// The ids of the restaurants among these, in order.
    var restaurantIDs: [UUID] {
        compactMap { item in
            guard case .restaurant(let restaurant) = item else { return nil }
            return restaurant.id
        }
    }
}
