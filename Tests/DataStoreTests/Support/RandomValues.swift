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
        "", "a", "A", "ab", "aB", "abc", "b", "é", "e\u{301}", "É", "éa", "ſ", "K", "\u{212A}",
        "straße", "STRASSE", "Σ", "ς", "İ", "\u{0}", "a\u{0}b", "\n", "\r\n", "*", "%", "_", "?",
        "🏳️‍🌈", "\u{10348}", "\u{202E}x", "\u{FEFF}", "\u{FFFD}", "日本", "क", "कि", "\u{344}",
        String(repeating: "long ", count: 120) + "a", String(repeating: "long ", count: 120) + "b",
    ]
    static let doubles = [
        0, -0.0, 1, -1, 0.1, 0.5, 5, 0x1p53, 0x1p63, -0x1p63, 1e300, .leastNonzeroMagnitude,
        .infinity, -.infinity, .nan, .greatestFiniteMagnitude,
    ]
    static let ints: [Int64] = [
        0, 1, -1, 5, 1 << 53, (1 << 53) + 1, .max, .max - 1, .min, .min + 1,
    ]
    static let decimals = [
        "0", "1", "-1", "0.1", "0.5", "5", "9007199254740993", "9223372036854775808", "1e100",
        "-9223372036854775808", "99999999999999999999999999999999999999", "-1e-100", "1e-127",
        "1e127", "NaN",
    ].map { Decimal(string: $0) ?? .nan }
    static let urls = [
        "http://a.b/c%20d?e=f#g", "x", "file:///tmp/a%20b", "mailto:a@b",
    ].compactMap { URL(string: $0) }

    /// A value of any kind.
    mutating func value(depth: Int = 0) -> DataStoreValue {
        switch generator.int(in: 0..<(depth > 2 ? 15 : 19)) {
        case 0: .null
        case 1: .bool(generator.bool())
        case 2, 3: .int(generator.pick(Self.ints))
        case 4, 5: .double(generator.pick(Self.doubles))
        case 6, 7, 8: .string(generator.pick(Self.strings))
        case 9: .date(Date(timeIntervalSinceReferenceDate: generator.pick(Self.doubles)))
        case 10:
            .data(Data((0..<generator.int(in: 0..<3)).map { _ in UInt8(generator.int(in: 0..<2)) }))
        case 11: .uuid(uuid())
        case 12: .decimal(generator.pick(Self.decimals))
        case 13: .url(generator.pick(Self.urls))
        case 14:
            .reference(
                ItemReference(itemTypeKey: generator.pick(["Sample", "é"]), id: ItemID(uuid())))
        case 15, 16: .array((0..<generator.int(in: 0..<4)).map { _ in value(depth: depth + 1) })
        default:
            .dictionary(
                Dictionary(
                    (0..<generator.int(in: 0..<4)).map { _ in
                        (generator.pick(["x", "y", "é", "", "a.b"]), value(depth: depth + 1))
                    }, uniquingKeysWith: { first, _ in first }))
        }
    }

    private mutating func uuid() -> UUID {
        ItemID(high: 7, low: UInt64(generator.int(in: 0..<3)) << 56).uuid
    }
}
