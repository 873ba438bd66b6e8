import Foundation
import JustPersist
import JustPersistConformance
import JustPersistMacros

/// An enum with a custom order.
enum Level: String, Codable, CaseIterable, Comparable {
    case low, middle, high

    static func < (left: Level, right: Level) -> Bool {
        (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
    }
}

/// An enum with the order of its raw values.
enum Grade: Int, Codable, CaseIterable, Comparable {
    case good = 1
    case fair = 2
    case poor = 5

    static func < (left: Grade, right: Grade) -> Bool { left.rawValue < right.rawValue }
}

/// A structure with a custom order, which no store knows.
struct Edition: Codable, Comparable {
    var text = "1"

    private var numbers: [Int] { text.split(separator: ".").compactMap { Int($0) } }

    static func < (left: Edition, right: Edition) -> Bool {
        left.numbers.lexicographicallyPrecedes(right.numbers)
    }
}

/// A structure with custom coding keys.
struct Street: Codable, Hashable {
    var city: String
    var number: Int?
    var height: Double
    var isMain: Bool
    var upper: String { city.uppercased() }

    enum CodingKeys: String, CodingKey {
        case city = "town"
        case number, height, isMain
    }
}

/// An element of a list attribute.
struct Visitor: Codable, Hashable {
    var score: Int
    var by: String?
}

/// An item with an attribute of every kind that a `#Predicate` can use.
@Item("Spot") final class Spot {
    var number = 0
    @Attribute(.indexed) var name = ""
    @Attribute(.indexed) var nick: String?
    @Attribute(.indexed) var stars = 0
    var score: Int?
    var other: Int?
    var big = 0
    var small: Int8 = 0
    var size: UInt = 0
    var price = 0.0
    var rating: Double?
    var weight: Float = 0
    var cost: Decimal = 0
    var isOpen = false
    var isBest: Bool?
    @Attribute(.indexed) var opened: Date = Date(timeIntervalSinceReferenceDate: 0)
    var closed: Date?
    @Attribute(.indexed) var tags: [String] = []
    var aliases: [String]?
    var nums: [Int] = []
    var marks: [Int?] = []
    var scores: [Double] = []
    var matrix: [[Int]] = []
    var labels: Set<String> = []
    var counts: [String: Int] = [:]
    var texts: [String: String]?
    var cover: Data?
    var token: UUID = UUID()
    var site: URL?
    @Attribute(.indexed) var level: Level = .low
    var levels: [Level] = []
    var grade: Grade?
    var edition: Edition = Edition()
    var street: Street?
    var visits: [Visitor] = []
    var owner: ItemReference?
}

/// Generates the random values of spots.
struct RandomSpots {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    static let texts =
        RandomValues.strings + [
            "Thai", "Thailand", "the Thai", "Café Thai", "Cafe\u{301} Thai", "cafe", "Th\u{301}ai",
            "Bar",
            "👨‍👩‍👧", "👨", "🇩🇪🇫🇷", "🇪🇫", "x\r\ny", "\ny", "ẞ", "ß", "SS", "ﬁn", "fin", "한글", "한글",
        ]
    static let words = ["a", "b", "bar", "Bar", "é", "e\u{301}", "", "thai", "x"]
    static let dates =
        [0, -0.0, 1, 86_400, 5e8, 5e8 + 0.001, -6e10, 6e10, 1e300, -1e300].map {
            Date(timeIntervalSinceReferenceDate: $0)
        } + [.distantPast, .distantFuture]

    private mutating func maybe<Value>(_ value: Value) -> Value? {
        random.int(in: 0..<3) == 0 ? nil : value
    }

    private mutating func list<Value>(
        _ most: Int = 4, _ element: (inout Self) -> Value
    ) -> [Value] {
        (0..<random.int(in: 0..<most + 1)).map { _ in element(&self) }
    }

    private mutating func int(_ range: Range<Int>) -> Int { random.int(in: range) }

    private mutating func uuid() -> UUID { ItemID(high: random.next(), low: random.next()).uuid }

    private mutating func edition() -> Edition {
        Edition(text: random.pick(["1", "1.2", "1.10", "2", "10"]))
    }

    private mutating func street() -> Street {
        Street(
            city: random.pick(Self.words), number: maybe(int(0..<4)),
            height: random.pick([0, 1.5, -2, 1e300]), isMain: random.bool())
    }

    /// Sets the values of a spot.
    mutating func fill(_ spot: Spot, number: Int) {
        spot.number = number
        // The default differs each time.
        spot.token = uuid()
        // Some spots keep the defaults.
        if number % 20 == 19 { return }
        spot.name = random.pick(Self.texts)
        spot.nick = maybe(random.pick(Self.texts))
        spot.stars = int(-3..<8)
        spot.score = maybe(int(-3..<6))
        spot.other = maybe(int(-3..<6))
        spot.big = Int(random.pick(RandomValues.ints))
        spot.small = Int8(int(-5..<6))
        spot.size = UInt(int(0..<5))
        spot.price = random.pick(RandomValues.doubles)
        spot.rating = maybe(random.pick([0, 0.5, -1.25, 3, .nan, 1e300]))
        spot.weight = random.pick([0, 0.1, -2.5, 3, .infinity])
        spot.cost = random.pick(
            ["0", "0.1", "-2.50", "3", "99999999999.99"].compactMap { Decimal(string: $0) })
        spot.isOpen = random.bool()
        spot.isBest = maybe(random.bool())
        spot.opened = random.pick(Self.dates)
        spot.closed = maybe(random.pick(Self.dates))
        spot.tags = list { $0.random.pick(Self.words) }
        spot.aliases = maybe(list { $0.random.pick(Self.words) })
        spot.nums = list { $0.int(-3..<6) }
        spot.marks = list { $0.maybe($0.int(-3..<6)) }
        spot.scores = list { $0.random.pick([0, -0.0, 0.5, -1, 3, .nan, .infinity]) }
        spot.matrix = list(3) { $0.list(2) { $0.int(0..<4) } }
        spot.labels = Set(list { $0.random.pick(Self.words) })
        spot.counts = Dictionary(
            list { ($0.random.pick(Self.words), $0.int(-3..<6)) },
            uniquingKeysWith: { first, _ in first })
        spot.texts = maybe(
            Dictionary(
                list { ($0.random.pick(Self.words), $0.random.pick(Self.texts)) },
                uniquingKeysWith: { first, _ in first }))
        spot.cover = maybe(Data(list { UInt8($0.int(0..<256)) }))
        spot.site = maybe(random.pick(RandomValues.urls))
        spot.level = random.pick(Level.allCases)
        spot.levels = list { $0.random.pick(Level.allCases) }
        spot.grade = maybe(random.pick(Grade.allCases))
        spot.edition = edition()
        spot.street = maybe(street())
        spot.visits = list {
            Visitor(score: $0.int(0..<6), by: $0.maybe($0.random.pick(Self.words)))
        }
        spot.owner = maybe(
            ItemReference(itemTypeKey: "Spot", id: ItemID(high: 7, low: UInt64(int(0..<5)))))
    }

    /// Makes `number` spots, which belong to no store.
    mutating func spots(_ number: Int) -> [Spot] {
        (0..<number).map { index in
            let spot = Spot()
            fill(spot, number: index)
            return spot
        }
    }
}
