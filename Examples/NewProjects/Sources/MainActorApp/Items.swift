import Foundation
import JustPersistMacros

// An item class is isolated to no actor, and does not have to say so. The types of its attributes need `nonisolated`,
// because stores encode their values on any thread. An enum with raw values needs nothing for its Codable conformance.

enum Grade: String, Codable, CaseIterable { case plain, fine }

nonisolated struct Address: Codable, Hashable {
    var city = ""
    var zip: Int?
}

@Item final class Restaurant {
    #Index<Restaurant>([\.name, \.stars])
    #Unique<Restaurant>([\.name])
    struct Hours: Codable { var opens = 8 }

    var name: String = ""
    @Attribute(.indexed) var stars: Int = 0
    var grade: Grade = .plain
    var address: Address?
    var hours: Hours = Hours()
    var menu: ItemReference?
    @Transient var isSelected = false

    var isGood: Bool { stars > 3 }
    func promote() { stars += 1 }
}

enum Menu {
    @Item final class Dish {
        var name: String = ""
        var restaurant: ItemReference?
    }
}

/// A class without the macro.
final class Note: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Note", attributes: [AttributeSchema("text", kinds: [.string], keyPath: \Note.text)])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }

    var text: String? {
        get { optionalAttribute(at: 0) }
        set { setOptionalAttribute(newValue, at: 0) }
    }
}

/// A struct of chosen attributes.
struct Row: ItemValues {
    var uniqueToken: ItemID
    var title: String

    init(_ restaurant: Restaurant) {
        uniqueToken = restaurant.uniqueToken
        title = restaurant.name
    }

    func assign(to restaurant: Restaurant) { restaurant.name = title }
}
