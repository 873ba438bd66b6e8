import Foundation

/// Generates an endless sequence of restaurants and inspections, determined by the seed.
///
/// Some texts contain characters beyond ASCII, as most programs' data does.
struct RestaurantGenerator {
    static let boroughs = ["Bronx", "Brooklyn", "Manhattan", "Queens", "Staten Island"]

    private var random: SplitMix64
    private var made = 0

    init(seed: UInt64) {
        random = SplitMix64(state: seed)
    }

    mutating func next() -> Restaurant {
        let id = nextID()
        let name = [pick(Self.adjectives), pick(Self.nouns), pick(Self.kinds)]
        let house = Int.random(in: 1...2400, using: &random)
        return Restaurant(
            id: id,
            name: name.joined(separator: " "),
            cuisine: pick(Self.cuisines),
            borough: pick(Self.boroughs),
            street: "\(house) \(pick(Self.streets))",
            zipcode: String(10_001 + Int.random(in: 0..<1_700, using: &random)),
            stars: Int.random(in: 0...5, using: &random),
            rating: Double.random(in: 0..<5, using: &random),
            opened: Date(
                timeIntervalSince1970: Double(Int.random(in: 0..<1_700_000_000, using: &random))),
            isOpen: Int.random(in: 0..<10, using: &random) < 9)
    }

    mutating func nextInspection() -> Inspection {
        Inspection(
            id: nextID(),
            inspected: Date(
                timeIntervalSince1970: Double(Int.random(in: 0..<1_700_000_000, using: &random))),
            score: Int.random(in: 0...100, using: &random),
            inspector: "\(pick(Self.nouns)) \(pick(Self.streets))")
    }

    /// A UUIDv7: 48 bits of milliseconds, 12 bits of a counter within one, then random bits.
    private mutating func nextID() -> UUID {
        let millisecond = 1_700_000_000_000 + UInt64(made / 1_000)
        let high = millisecond << 16 | 0x7000 | UInt64(made % 1_000)
        let low = random.next() >> 2 | 1 << 63
        made += 1
        return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) {
            UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
        }
    }

    private mutating func pick(_ words: [String]) -> String {
        words[Int.random(in: 0..<words.count, using: &random)]
    }

    private static let cuisines = [
        "African", "American", "Հայկական", "Australian", "বাংলাদেশি", "Barbecue", "Brasileira",
        "Cajun", "Caribbean", "中国菜", "Cubana", "Česká", "Eastern European", "مصري",
        "Ethiopian", "Filipino", "Française", "German", "Ελληνική", "Hawaiian", "भारतीय",
        "Indonesian", "Irish", "Italian", "日本料理", "한식", "لبناني", "Mediterranean", "Mexican",
        "Moroccan", "Pakistani", "Perú", "Polska", "Русская", "Española",
        "ไทย", "Türk", "Vegetarian", "Việt Nam", "Українська",
    ]
    private static let adjectives = [
        "Golden", "Old", "Little", "Royal", "Blue", "Lucky", "Grand", "Happy", "Silver", "Red",
        "New", "Sunny", "Green", "Crazy", "Hidden", "Original", "Famous", "Corner", "Uptown",
        "Jade",
    ]
    private static let nouns = [
        "Lotus", "Dragon", "Lantern", "Anchor", "Harbor", "Olive", "Garden", "Palace", "Rooster",
        "Mill", "Bridge", "Pepper", "Orchid", "Tiger", "Oak", "Fountain", "Moon", "Star", "Village",
        "Whale",
    ]
    private static let kinds = [
        "Kitchen", "Restaurant", "Grill", "Café", "Bistro", "Diner", "House", "Bar & Grill",
        "Pizzeria", "Bakery", "Tavern", "Noodle Bar", "Steakhouse", "Eatery", "食堂", "Кафе",
    ]
    private static let streets = [
        "Broadway", "West 45th Street", "Flatbush Avenue", "Morris Park Avenue",
        "Astoria Boulevard",
        "Stillwell Avenue", "East 12th Street", "Hylan Boulevard", "Kings Highway", "5th Avenue",
        "Queens Boulevard", "Grand Concourse", "Nostrand Avenue", "Victory Boulevard",
        "Main Street",
    ]
}

/// Sebastiano Vigna's SplitMix64: small, fast and equal on every platform.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
