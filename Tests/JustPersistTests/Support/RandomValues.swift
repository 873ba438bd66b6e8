import Foundation
import JustPersist
import JustPersistConformance

/// Random values of every kind, mainly edge cases.
///
/// There are few distinct values, so that many are equal.
struct RandomValues {
    var generator: SeededGenerator

    init(seed: UInt64 = .random(in: 0 ... .max)) { generator = SeededGenerator(seed: seed) }

    static let strings = [
        "", "a", "A", "é", "e\u{301}", "É", "straße", "STRASSE", "\u{0}", "\"", "'", "\\", "\n\r\t",
        "%@", "nil", "{}", "🏳️‍🌈", "\u{10348}", "\u{202E}x", "\u{FEFF}", "\u{2028}", "a b", "日本",
    ]
    static let doubles = [
        0, -0.0, 1, -1, 0.1, 0.5, 5, 0x1p53, 0x1p63, -0x1p63, 1e300, .leastNonzeroMagnitude,
        .infinity, -.infinity,
        .nan, Double(nan: 7, signaling: true), .greatestFiniteMagnitude,
    ]
    static let ints: [Int64] = [
        0, 1, -1, 5, 1 << 53, (1 << 53) + 1, .max, .max - 1, .min, .min + 1,
    ]
    static let decimals = [
        "0", "1", "-1", "0.1", "0.5", "5", "9007199254740993", "9223372036854775808", "1e100",
        "-9223372036854775808", "340282366920938463463374607431768211455", "-1e-100", "NaN",
    ].map { Decimal(string: $0) ?? .nan }
    static let urls = ["http://a.b/c?d=e#f", "x", "file:///tmp/a%20b"].compactMap(URL.init(string:))

    mutating func pick<Element>(_ list: [Element]) -> Element {
        list[Int.random(in: list.indices, using: &generator)]
    }

    mutating func bool() -> Bool { Bool.random(using: &generator) }

    mutating func int(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

    mutating func uuid() -> UUID { ItemID(high: 7, low: UInt64(int(below: 3)) << 56).uuid }

    mutating func value(depth: Int = 0) -> DataStoreValue {
        switch int(below: depth > 2 ? 11 : 13) {
        case 0: .null
        case 1: .bool(bool())
        case 2: .int(pick(Self.ints))
        case 3: .double(pick(Self.doubles))
        case 4: .string(pick(Self.strings))
        case 5: .date(Date(timeIntervalSinceReferenceDate: pick(Self.doubles)))
        case 6: .data(Data((0..<int(below: 3)).map { _ in UInt8(int(below: 2)) }))
        case 7: .uuid(uuid())
        case 8: .decimal(pick(Self.decimals))
        case 9: .url(pick(Self.urls))
        case 10: .reference(ItemReference(itemTypeKey: pick(["A", "é"]), id: ItemID(uuid())))
        case 11: .array((0..<int(below: 3)).map { _ in value(depth: depth + 1) })
        default:
            .dictionary(
                Dictionary(
                    (0..<int(below: 3)).map { _ in (pick(Self.strings), value(depth: depth + 1)) },
                    uniquingKeysWith: { first, _ in first }))
        }
    }
}
