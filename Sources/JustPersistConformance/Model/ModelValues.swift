import Foundation
import JustPersist

/// Random values of the kinds that a store declares, from a small pool that includes the edge cases of each kind, so
/// that many values are equal.
struct ModelValues {
    /// The kinds of the values.
    let kinds: [DataStoreValue.Kind]

    /// Values of the declared kinds, which always include null.
    init(kinds: Set<DataStoreValue.Kind>) {
        self.kinds = kinds.union([.null]).sorted { $0.rawValue < $1.rawValue }
    }

    static let strings = [
        "", "a", "A", "ab", "aB", "b", "é", "e\u{301}", "É", "straße", "STRASSE", "Σ", "ς", "İ",
        "\0", "a\0b", "\n", "*", "%", "_", "🏳️‍🌈", "\u{10348}", "\u{202E}x", "\u{FEFF}",
        "\u{FFFD}", "日本", String(repeating: "long ", count: 120) + "a",
        String(repeating: "long ", count: 120) + "b",
    ]
    static let ints: [Int64] = [0, 1, -1, 2, 5, 1 << 53, (1 << 53) + 1, .max, .min]
    static let doubles = [
        0, -0.0, 1, -1, 0.1, 0.5, 5, 0x1p53, 0x1p63, 1e300, .leastNonzeroMagnitude, .infinity,
        -.infinity, .nan, .greatestFiniteMagnitude,
    ]
    static let decimals = [
        "0", "1", "-1", "0.1", "0.5", "9007199254740993", "9223372036854775808", "1e100",
        "99999999999999999999999999999999999999", "-1e-100",
    ].compactMap { Decimal(string: $0) }
    static let urls = ["http://a.b/c%20d?e=f#g", "x", "file:///a%20b"].compactMap {
        URL(string: $0)
    }
    /// The keys of dictionaries.
    ///
    /// Key paths can lead through some of them.
    static let names = ["x", "y", "é", "", "a.b"]

    /// A random value, seldom null.
    ///
    /// A reference points to an item by its number, up to `items`.
    func value(items: Int = 0, depth: Int = 0, using random: inout SeededGenerator)
        -> DataStoreValue
    {
        let kinds = depth < 2 ? self.kinds : self.kinds.filter { $0 != .array && $0 != .dictionary }
        switch random.pick(kinds) {
        case .null: return .null
        case .bool: return .bool(random.bool())
        case .int: return .int(random.pick(Self.ints))
        case .double: return .double(random.pick(Self.doubles))
        case .string: return .string(random.pick(Self.strings))
        case .date: return .date(Date(timeIntervalSinceReferenceDate: random.pick(Self.doubles)))
        case .data:
            return .data(Data((0..<random.int(in: 0..<3)).map { _ in random.pick([0, 1, 255]) }))
        case .uuid: return .uuid(ItemID(high: 0, low: UInt64(random.int(in: 0..<3))).uuid)
        case .decimal: return .decimal(random.pick(Self.decimals))
        case .url: return .url(random.pick(Self.urls))
        case .reference:
            return .reference(.numbered(random.int(in: 0..<items + 1), type: "Model"))
        case .array:
            return .array(
                (0..<random.int(in: 0..<4)).map { _ in
                    value(items: items, depth: depth + 1, using: &random)
                })
        case .dictionary:
            let entries = (0..<random.int(in: 0..<4)).map { _ in
                (random.pick(Self.names), value(items: items, depth: depth + 1, using: &random))
            }
            return .dictionary(Dictionary(entries, uniquingKeysWith: { first, _ in first }))
        }
    }
}

extension ItemReference {
    /// A reference to an item known by its number.
    static func numbered(_ number: Int, type: String) -> ItemReference {
        ItemReference(itemTypeKey: type, id: ItemID(high: 0, low: UInt64(number)))
    }

    /// The number of the item referred to, if it is known by one.
    var number: Int? { id.high == 0 ? Int(exactly: id.low) : nil }
}
