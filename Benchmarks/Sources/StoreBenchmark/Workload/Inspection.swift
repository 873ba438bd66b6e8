import Foundation

/// The second type of every store, written by turns with the restaurants: a store that holds one
/// type only appends at the end of its tree, which few programs' stores do.
struct Inspection: Codable, Identifiable, Sendable {
    var id: UUID
    var inspected: Date
    var score: Int
    var inspector: String
}

/// An item that a store is to keep.
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
