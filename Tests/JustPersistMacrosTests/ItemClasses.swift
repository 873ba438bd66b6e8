public import Foundation
public import JustPersistMacros

/// The class of the documentation.
@Item final class Restaurant {
    #Index<Restaurant>([\.borough, \.cuisine])
    @Attribute(.unique) var permit: String = ""
    @Attribute(.indexed) var cuisine: String?
    @Attribute(originalName: "title") var name: String?
    var borough: String?
    var stars: Int = 0
    var opened: Date?
}

enum Rating: String, Codable {
    case fine, poor
}

/// An enum that conforms to several protocols, so that several accessors apply.
enum Size: Int, AttributeValue, CaseIterable {
    case small = 1
    case large = 2

    static var attributeKind: DataStoreValue.Kind? { .bool }

    init?(_ value: DataStoreValue) {
        guard case .bool(let isLarge) = value else { return nil }
        self = isLarge ? .large : .small
    }

    func storedValue() -> DataStoreValue { .bool(self == .large) }
}

struct Address: Codable, Equatable {
    var street: String
    var built: Date?
    var tags: Set<String> = []
}

typealias Text = String?

/// A class with all other forms of properties.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@Item("dish")
public final class Dish: CustomStringConvertible {
    #Unique<Dish>([\.title, \.`default`], [\.id])
    #Index<Dish>([\.price])

    public var id: UUID = UUID()
    public var title = "Soup"
    public private(set) var isHot = true
    var temperature = -1.5
    var `default`: Int8 = 3
    var price: Decimal?
    var created: Date = .now
    var photo: Data = Data()
    var link: Swift.Optional<URL>
    var chef: ItemReference?
    var origin: ItemID?
    var extra: DataStoreValue = .null
    var rating: Rating = .fine
    var ratings: [Rating] = [.poor]
    var lastRating: Rating?
    var size: Size = .small
    var address: Address?
    var places: [Address] = []
    var counts: [String: [Int?]] = [:]
    var note: Text = nil
    var motto: (String)? = "Eat"
    var course: Course = .main
    @Transient var isSelected = false
    @Transient weak var observer: Dish?
    @Transient lazy var cache: [String: Any] = [:]
    @Transient let limit = 3
    @Transient var changes = 0 { didSet { changes = min(changes, limit) } }

    static let shared = 3
    public var description: String { title }
    var half: Int {
        get { counts.count / 2 }
        set { counts = ["\(newValue)": []] }
    }

    enum Course: String, Codable { case main, dessert }

    convenience init(titled title: String) {
        self.init()
        self.title = title
    }

    init(sharing item: Dish) {
        backing = item.backing
    }

    @Item final class Side {
        var name: String?
    }
}

@Item final class Nothing {}

/// Attributes under names that other items have for their identity.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@Item public final class Booking {
    public var id: UUID?
    public var reference: String = ""
}

/// A class with a default that is a static member, and with a nested class.
@Item final class Frame {
    static let standard = 3
    var width: Int = Self.standard

    @Item final class Corner {
        var angle: Double = 90
    }
}

enum Table {}

extension Table {
    /// A class with the name of another nested class.
    @Item final class Corner {
        var name: String?

        @Item final class Joint {}
    }
}

@Item final class Names {
    var attribute: String = ""
    var setAttribute: Int = 0
    var optionalAttribute: String?
    var setOptionalAttribute: String?
    var encode: String?
    var assign: String?
    var hash: Int?
    var hashValue: String?
    var encoder: Int = 0
    var description: String?
    var self_: Int?
}
