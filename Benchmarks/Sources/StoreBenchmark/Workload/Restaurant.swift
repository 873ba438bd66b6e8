import Foundation

/// One restaurant as the generator makes it, in the form every side starts from.
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
