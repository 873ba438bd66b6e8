import Foundation
import JustPersist
import JustPersistConformance
import Testing

@Suite struct DataStoreValueComparisonTests {
    /// Numbers that ascend strictly by their exact value.
    private static let ascending: [DataStoreValue] = [
        .double(-.infinity), .double(-1e300), .decimal(decimal("-1e100")),
        .int(.min), .int(.min + 1), .int(-1), .decimal(decimal("-1e-100")), .int(0),
        .double(.leastNonzeroMagnitude), .decimal(decimal("1e-120")), .decimal(decimal("0.1")),
        .double(0.1),
        .decimal(decimal("0.5")), .bool(true),
        .decimal(decimal("1.00000000000000000000000000000001")),
        .double(1.0.nextUp), .double(0x1p53), .int((1 << 53) + 1), .double(0x1p53 + 2),
        .int(.max - 1), .int(.max), .double(0x1p63), .decimal(decimal("9223372036854775809")),
        .decimal(decimal("1e100")), .double(1e300), .double(.infinity),
    ]

    private static func decimal(_ text: String) -> Decimal { Decimal(string: text) ?? .nan }

    @Test func numbersCompareExactly() {
        let list = Self.ascending
        for (i, a) in list.enumerated() {
            for (j, b) in list.enumerated() {
                let expected: ValueOrder = i < j ? .ascending : i > j ? .descending : .same
                #expect(a.order(against: b) == expected, "\(a) against \(b)")
                #expect(a.isEqual(to: b) == (i == j), "\(a) against \(b)")
                #expect(a.sortOrder(against: b) == expected, "\(a) against \(b)")
            }
        }
    }

    @Test func equalNumbersOfOtherKinds() {
        let groups: [[DataStoreValue]] = [
            [.int(1), .double(1), .decimal(1), .bool(true)],
            [.int(0), .double(0), .double(-0.0), .decimal(0), .bool(false)],
            [.double(0.5), .decimal(Self.decimal("0.50"))],
            [.int(.min), .double(-0x1p63), .decimal(Self.decimal("-9223372036854775808"))],
            [.double(0x1p64), .decimal(Self.decimal("18446744073709551616"))],
            [
                .double(0x1p-20),
                .decimal(Self.decimal("0.00000095367431640625")),
            ],
        ]
        for group in groups {
            for a in group { for b in group { #expect(a.isEqual(to: b), "\(a) against \(b)") } }
        }
    }

    @Test func nanEqualsNothingAndSortsLast() {
        for nan in [DataStoreValue.double(.nan), .decimal(.nan)] {
            for other in Self.ascending + [.double(.nan), .decimal(.nan)] {
                #expect(!nan.isEqual(to: other))
                #expect(nan.order(against: other) == nil)
                #expect(other.order(against: nan) == nil)
            }
            #expect(nan.sortOrder(against: .double(.infinity)) == .descending)
            #expect(nan.sortOrder(against: .string("")) == .ascending)
            #expect(nan.sortOrder(against: .double(.nan)) == .same)
        }
        let noDate = DataStoreValue.date(Date(timeIntervalSinceReferenceDate: .nan))
        #expect(!noDate.isEqual(to: noDate))
        #expect(noDate.sortOrder(against: .date(.distantFuture)) == .descending)
    }

    @Test func stringsCompareAsSwiftDoes() {
        let composed = DataStoreValue.string("é")
        let decomposed = DataStoreValue.string("e\u{301}")
        #expect(composed.isEqual(to: decomposed))
        #expect(composed != decomposed)
        #expect(decomposed.order(against: .string("f")) == .descending)
        #expect(
            DataStoreValue.string("\u{FFFF}").order(against: .string("\u{10000}")) == .ascending)
    }

    @Test func otherKindsNeitherEqualNorOrder() {
        let id = ItemID(high: 1, low: 1)
        let values: [DataStoreValue] = [
            .null, .int(1), .string("1"), .date(Date(timeIntervalSinceReferenceDate: 1)),
            .data(Data("1".utf8)), .uuid(id.uuid), .url(URL(filePath: "/1")),
            .reference(ItemReference(itemTypeKey: "1", id: id)), .array([.int(1)]),
            .dictionary(["1": .int(1)]),
        ]
        for (i, a) in values.enumerated() {
            for (j, b) in values.enumerated() {
                #expect(a.isEqual(to: b) == (i == j))
                if i != j { #expect(a.order(against: b) == nil) }
                let expected: ValueOrder = i < j ? .ascending : i > j ? .descending : .same
                #expect(a.sortOrder(against: b) == expected)
            }
        }
        #expect(DataStoreValue.null.order(against: .null) == nil)
    }

    @Test func collectionsCompareByTheirParts() {
        let array = DataStoreValue.array([.int(1), .string("é")])
        #expect(array.isEqual(to: .array([.double(1), .string("e\u{301}")])))
        #expect(!array.isEqual(to: .array([.int(1)])))
        #expect(array.sortOrder(against: .array([.int(1)])) == .descending)
        #expect(array.sortOrder(against: .array([.int(2)])) == .ascending)
        #expect(!DataStoreValue.array([.double(.nan)]).isEqual(to: .array([.double(.nan)])))
        let dictionary = DataStoreValue.dictionary(["a": .int(1), "b": .null])
        #expect(dictionary.isEqual(to: .dictionary(["b": .null, "a": .bool(true)])))
        #expect(!dictionary.isEqual(to: .dictionary(["a": .int(1), "c": .null])))
        #expect(dictionary.sortOrder(against: .dictionary(["b": .int(1)])) == .ascending)
        #expect(dictionary.sortOrder(against: .dictionary(["a": .int(1)])) == .descending)
    }

    @Test func sortOrderIsATotalOrder() {
        var random = RandomValues()
        let values = (0..<150).map { _ in random.value() }
        for a in values {
            for b in values {
                let order = a.sortOrder(against: b)
                #expect(order == b.sortOrder(against: a).reversed, "seed \(random.generator.seed)")
                if a.isEqual(to: b) { #expect(order == .same, "seed \(random.generator.seed)") }
                if let narrow = a.order(against: b) {
                    #expect(order == narrow, "seed \(random.generator.seed)")
                }
            }
        }
        let sorted = values.sorted { $0.sortOrder(against: $1) == .ascending }
        for i in sorted.indices {
            for j in sorted.indices where i < j {
                #expect(
                    sorted[i].sortOrder(against: sorted[j]) != .descending,
                    "seed \(random.generator.seed)")
            }
        }
    }
}
