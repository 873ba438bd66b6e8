import Foundation

/// One restaurant as generated, the common input of all sides.
struct Restaurant: Codable, Identifiable, Sendable {
    var id: UUID
    var name: String
    var cuisine: String
    var borough: String
    var street: String
    var zipcode: String
    var stars: Int
    var rating: Double
    var opened: Date
    var isOpen: Bool
}
