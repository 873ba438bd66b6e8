import Foundation
import JustPersist

/// Values of every kind that stores often handle incorrectly: extremes, adjacent values, and texts that differ only in
/// their bytes.
struct SampleValues {
    /// The kinds that a store declares.
    let kinds: Set<DataStoreValue.Kind>

    init(_ capabilities: DataStoreCapabilities) { kinds = capabilities.valueKinds }

    /// The declared kinds except null, in sort order.
    var sortedKinds: [DataStoreValue.Kind] {
        [
            .bool, .int, .double, .decimal, .string, .date, .data, .uuid, .url, .reference, .array,
            .dictionary,
        ].filter(kinds.contains)
    }

    /// Values of a kind in strictly ascending order.
    func ascending(_ kind: DataStoreValue.Kind) -> [DataStoreValue] {
        Self.ascending(kind).filter(isDeclared)
    }

    /// Values of a kind, some of which are equal but not identical.
    func all(_ kind: DataStoreValue.Kind) -> [DataStoreValue] {
        let more: [DataStoreValue] =
            switch kind {
            case .double: [.double(0), .double(2)]
            case .decimal:
                [.decimal(2), .decimal(Decimal(sign: .plus, exponent: -1, significand: 20))]
            case .string:
                ["caf\u{E9}", "Caf\u{E9}", "CAFE", "\u{1E69}", "s\u{323}\u{307}", "a b"].map(
                    DataStoreValue.string)
            case .array: [.array([.int(1), .double(2)]), .array([.string("caf\u{E9}")])]
            case .dictionary: [.dictionary(["a": .double(1)])]
            default: []
            }
        return (Self.ascending(kind) + more).filter(isDeclared)
    }

    /// Values of all kinds.
    var all: [DataStoreValue] { sortedKinds.flatMap(all) }

    /// Whether a store that declares the kinds accepts a value.
    func isDeclared(_ value: DataStoreValue) -> Bool {
        switch value {
        case .null: true
        case .array(let values): kinds.contains(.array) && values.allSatisfy(isDeclared)
        case .dictionary(let values):
            kinds.contains(.dictionary) && values.values.allSatisfy(isDeclared)
        default: kinds.contains(value.kind)
        }
    }

    private static func ascending(_ kind: DataStoreValue.Kind) -> [DataStoreValue] {
        switch kind {
        case .null: [.null]
        case .bool: [.bool(false), .bool(true)]
        case .int:
            // Above 2^53, adjacent integers have one Double.
            [
                .min, -9_007_199_254_740_993, -9_007_199_254_740_992, -1, 0, 1, 2, 10,
                9_007_199_254_740_992, 9_007_199_254_740_993, .max - 1, .max,
            ].map(DataStoreValue.int)
        case .double:
            [
                -.infinity, -.greatestFiniteMagnitude, -1.5, -.leastNonzeroMagnitude, -0.0,
                .leastNonzeroMagnitude, 0.1, 1, 1.5, 9_007_199_254_740_992,
                .greatestFiniteMagnitude, .infinity, .nan,
            ].map(DataStoreValue.double)
        case .decimal:
            [
                "-99999999999999999999999999999999999999", "-0.5", "0", "0.1",
                "0.10000000000000000000000000000000000001", "1", "9007199254740993",
                "99999999999999999999999999999999999999",
            ].compactMap { Decimal(string: $0).map(DataStoreValue.decimal) }
        case .string:
            // This is not the order of bytes, of UTF-16 or of any language: the decomposed "café" comes
            // after "caff", and U+FFFD comes before the emoji.
            [
                "", "\0", "\n", " ", "%@", "'", "10", "9", "A", "B", "Z", "\\", "_", "a",
                "a\0b", "ab", "b", "cafe", "caff", "cafe\u{301}", "\u{E9}", "\u{FFFD}", "\u{1F642}",
            ].map(DataStoreValue.string)
        case .date:
            [
                Date.distantPast, Date(timeIntervalSinceReferenceDate: -1),
                Date(timeIntervalSinceReferenceDate: 0), Date(timeIntervalSinceReferenceDate: 0.1),
                Date(timeIntervalSinceReferenceDate: 0.1.nextUp),
                Date(timeIntervalSinceReferenceDate: 800_000_000.123_456), .distantFuture,
            ].map(DataStoreValue.date)
        case .data:
            [[], [0], [0, 0], [0, 1], [1], [127], [128], [255], [255, 0]].map { .data(Data($0)) }
        case .uuid:
            [
                "00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000001",
                "01000000-0000-0000-0000-000000000000", "7F000000-0000-0000-0000-000000000000",
                "80000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
            ].compactMap { UUID(uuidString: $0).map(DataStoreValue.uuid) }
        case .url:
            [
                "file:///tmp/a", "https://example.com", "https://example.com/",
                "https://example.com/%7Ea", "https://example.com/a", "https://example.com/~a",
            ].compactMap { URL(string: $0).map(DataStoreValue.url) }
        case .reference:
            [("A", 0, 1), ("A", 0, 2), ("A", 1, 0), ("B", 0, 0)].map { type, high, low in
                .reference(ItemReference(itemTypeKey: type, id: ItemID(high: high, low: low)))
            }
        case .array:
            [
                [], [.null], [.int(1)], [.int(1), .null], [.int(1), .int(2)], [.int(2)],
                [.string("cafe\u{301}")], [.array([])],
            ].map(DataStoreValue.array)
        case .dictionary:
            [
                [:], ["a": .int(1)], ["a": .int(1), "b": .int(0)], ["a": .int(2)],
                ["a": .dictionary(["x": .string("deep")])], ["b": .int(0)],
            ].map(DataStoreValue.dictionary)
        }
    }
}
