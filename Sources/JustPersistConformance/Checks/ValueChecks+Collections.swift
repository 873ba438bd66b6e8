import Foundation
import JustPersist

extension ValueChecks {
    /// Checks of arrays and dictionaries, and of random values.
    static let collections: [CheckDefinition] = [
        CheckDefinition(
            "val/array-nested", clause: [9, 10], gate: .requires(.valueKind(.array)),
            "Arrays of mixed kinds, five levels deep, are read as they were written."
        ) { check in
            let mixed = samples(of: check.capabilities.valueKinds)
            var nested = DataStoreValue.array(mixed)
            for _ in 0..<4 { nested = .array([.int(1), nested, .string("behind")]) }
            try check.roundTrip([
                [.array(mixed)], [.array(mixed.reversed())], [nested], [.array([.array([])])],
                [.array([.int(1)]), .array([.double(1)])], [.array([.int(1), .int(1)])],
                [.array([.array([.int(1)])])], [.int(1)],
                [.array((0..<1_000).map { .int($0) })],
            ])
        },
        CheckDefinition(
            "val/dictionary-nested", clause: [9, 10], gate: .requires(.valueKind(.dictionary)),
            "Dictionaries are read with any keys, including keys with dots and the empty key."
        ) { check in
            let names = [
                "", ".", "a.b", "a", "A", "é", "日本", "🏳️‍🌈", "\0", "a\0b", " ", "$", "@count",
            ]
            let mixed = samples(of: check.capabilities.valueKinds)
            let named = Dictionary(
                zip(names, mixed + names.map { .string($0) }), uniquingKeysWith: { $1 })
            var nested = DataStoreValue.dictionary(named)
            for _ in 0..<4 { nested = .dictionary(["in": nested, "beside": .int(1)]) }
            try check.roundTrip([
                [.dictionary(named)], [nested],
                [.dictionary(["a": .int(1)]), .dictionary(["a": .double(1)])],
                [.dictionary(["A": .int(1)])], [.dictionary(["a": .int(2)])],
                [.dictionary(["a": .int(1), "b": .int(1)])], [.dictionary(["a.b": .int(1)])],
                [.dictionary(["a": .dictionary(["b": .int(1)])])],
                [.dictionary(["e\u{301}": .int(1)]), .dictionary(["é": .int(1)])],
            ])
        },
        CheckDefinition(
            "val/empty-collections", clause: [9, 11], gate: .requires(.valueKind(.array)),
            "An empty array and an empty dictionary are neither nil nor each other."
        ) { check in
            try check.roundTrip([
                [.null], [.array([])], [.dictionary([:])], [.array([.array([])])],
                [.array([.dictionary([:])])], [.dictionary(["a": .array([])])],
                [.dictionary(["a": .dictionary([:])])], [.string("")], [.data(Data())],
            ])
        },
        CheckDefinition(
            "val/null-inside-collections", clause: [9, 11], gate: .requires(.valueKind(.array)),
            "nil inside a collection keeps its place."
        ) { check in
            try check.roundTrip([
                [.array([.null])], [.array([.null, .null])], [.array([])], [.null],
                [.array([.null, .int(1), .null])], [.array([.int(1), .null, .null])],
                [.array([.int(1)])], [.array([.array([.null])])],
                [.dictionary(["a": .null])], [.dictionary(["b": .null])], [.dictionary([:])],
                [.dictionary(["a": .null, "b": .int(1)])], [.dictionary(["b": .int(1)])],
                [.array([.dictionary(["a": .null])])],
            ])
        },
        CheckDefinition(
            "val/copies-not-aliases", clause: [8, 9],
            "A collection that is set in an item or read from one is a copy: changing it changes no item."
        ) { check in
            let kinds = check.capabilities.valueKinds
            let items = try check.openValues()
            let objects: [(DataStoreValue.Kind, NSObject, (NSObject) -> Void, DataStoreValue)] = [
                (
                    .string, NSMutableString(string: "a"),
                    { ($0 as? NSMutableString)?.append("b") },
                    .string("a")
                ),
                (
                    .data, NSMutableData(data: Data([1])),
                    { ($0 as? NSMutableData)?.append(Data([2])) },
                    .data(Data([1]))
                ),
                (
                    .array, NSMutableArray(array: ["a"]), { ($0 as? NSMutableArray)?.add("b") },
                    .array([.string("a")])
                ),
            ].filter { kinds.contains($0.0) }
            for (kind, object, change, value) in objects {
                let id = try items.store.write { db in
                    let item = try items.create([:], db)
                    try item.setStoredValue(object, forKeyPath: "value")
                    change(object)
                    check.expectIdentical(
                        try item.value("value"), value,
                        "a value of kind \(kind) after the object it was made of changed")
                    return item.uniqueToken
                }
                try items.expectValues(["value": value], of: id, "whose source changed")
            }
            let values: [DataStoreValue] = [
                .data(Data([1, 2])), .array([.int(1)]), .dictionary(["a": .int(1)]), .string("a"),
            ].filter { kinds.contains($0.kind) }
            for value in values {
                let id = try items.create(["value": value])
                let frozen = try items.frozen(id)
                try items.store.write { db in
                    let item = try items.live(id, db)
                    var copy = try item.value("value")
                    copy.grow()
                    check.expect(!copy.isIdentical(to: value), "\(value.shortText) did not grow")
                    check.expectIdentical(
                        try item.value("value"), value, "a value whose copy was changed")
                }
                try items.expectValues(["value": value], of: id, "whose copy was changed")
                var grown = value
                grown.grow()
                try items.set(["value": grown], of: id)
                check.expectIdentical(
                    try frozen.value("value"), value,
                    "a value of an item that was read before it was changed")
            }
        },
        CheckDefinition(
            "val/random-values", clause: [9, 10],
            "Random nested values of the declared kinds are read as they were written."
        ) { check in
            var random = check.generator()
            let kinds = check.capabilities.valueKinds
            var items = try check.openValues()
            let count = check.profile.pick(quick: 200, full: 1_000, soak: 100_000)
            var values: [DataStoreValue] = []
            var ids: [ItemID] = []
            while values.count < count {
                let batch = (0..<100).map { _ in
                    DataStoreValue.random(of: kinds, depth: 0, using: &random)
                }
                ids += try check.write(batch, to: items)
                values += batch
                check.tick()
            }
            try check.expect(values, of: ids, in: items, "in a later block")
            if try items.reopens() {
                try check.expect(values, of: ids, in: items, "after the store was reopened")
            }
            guard check.capabilities.predicateOperators.isSuperset(of: [.equal, .notEqual]) else {
                return
            }
            for (value, id) in zip(values, ids).shuffled(using: &random).prefix(50) {
                let equal = try items.ids(where: .comparing("value", .equal, value))
                let others = try items.ids(where: .comparing("value", .notEqual, value))
                check.expectEqual(
                    equal.contains(id), !value.holdsNaN,
                    "whether an item is found where value == \(value.shortText), which it has")
                check.expectEqual(
                    (equal + others).sorted(), ids,
                    "the items found where value == or != \(value.shortText)")
            }
        },
    ]

    /// One value of each declared kind except collections.
    static func samples(of kinds: Set<DataStoreValue.Kind>) -> [DataStoreValue] {
        DataStoreValue.Kind.allCases
            .filter { kinds.contains($0) && $0 != .array && $0 != .dictionary }.map(sample)
    }

    /// A value of a kind.
    static func sample(_ kind: DataStoreValue.Kind) -> DataStoreValue {
        switch kind {
        case .null: .null
        case .bool: .bool(true)
        case .int: .int(-7)
        case .double: .double(0.1)
        case .string: .string("text")
        case .date: .date(Date(timeIntervalSinceReferenceDate: 0.25))
        case .data: .data(Data([0, 255]))
        case .uuid: .uuid(ItemID(high: 1, low: 2).uuid)
        case .decimal: .decimal(Decimal(sign: .minus, exponent: -3, significand: 12_345))
        case .url: .url(URL(filePath: "/a b"))
        case .reference: .reference(ItemReference(itemTypeKey: "é", id: ItemID(high: 3, low: 4)))
        case .array: .array([.string("element")])
        case .dictionary: .dictionary(["name": .string("entry")])
        }
    }
}

extension DataStoreValue {
    /// Adds an element to the value, in place.
    fileprivate mutating func grow() {
        switch self {
        case .string(var text):
            text.append("!")
            self = .string(text)
        case .data(var data):
            data.append(0)
            self = .data(data)
        case .array(var values):
            values.append(.string("more"))
            self = .array(values)
        case .dictionary(var values):
            values["more"] = .string("more")
            self = .dictionary(values)
        default: break
        }
    }

    /// Whether the value is or contains NaN, which equals no value.
    fileprivate var holdsNaN: Bool {
        switch self {
        case .double(let number): number.isNaN
        case .decimal(let number): number.isNaN
        case .date(let date): date.timeIntervalSinceReferenceDate.isNaN
        case .array(let values): values.contains(where: \.holdsNaN)
        case .dictionary(let values): values.values.contains(where: \.holdsNaN)
        default: false
        }
    }

    /// A random value of one of these kinds, with any bits.
    fileprivate static func random(
        of kinds: Set<Kind>, depth: Int, using random: inout SeededGenerator
    ) -> DataStoreValue {
        let leaves = Kind.allCases.filter {
            kinds.contains($0) && (depth < 4 || ($0 != .array && $0 != .dictionary))
        }
        if leaves.isEmpty { return .null }
        switch random.pick(leaves) {
        case .null: return .null
        case .bool: return .bool(random.bool())
        case .int: return .int(Int64(bitPattern: random.next() >> UInt64(random.int(in: 0..<64))))
        case .double: return .double(Double(bitPattern: random.next()))
        case .string: return .string(text(using: &random))
        case .date:
            let bits = Double(bitPattern: random.next())
            return .date(Date(timeIntervalSinceReferenceDate: bits))
        case .data:
            return .data(
                Data((0..<random.int(in: 0..<40)).map { _ in UInt8(random.int(in: 0...255)) }))
        case .uuid: return .uuid(ItemID(high: random.next(), low: random.next()).uuid)
        case .decimal:
            return .decimal(
                Decimal(
                    sign: random.bool() ? .minus : .plus, exponent: random.int(in: -60...60),
                    significand: Decimal(random.next() >> 1)))
        case .url: return .url(URL(filePath: "/" + text(using: &random).filter { $0 != "\0" }))
        case .reference:
            return .reference(
                ItemReference(
                    itemTypeKey: text(using: &random),
                    id: ItemID(high: random.next(), low: random.next())))
        case .array:
            return .array(
                (0..<random.int(in: 0..<5)).map { _ in
                    .random(of: kinds, depth: depth + 1, using: &random)
                })
        case .dictionary:
            let entries = (0..<random.int(in: 0..<5)).map { _ in
                (
                    text(using: &random),
                    DataStoreValue.random(of: kinds, depth: depth + 1, using: &random)
                )
            }
            return .dictionary(Dictionary(entries, uniquingKeysWith: { $1 }))
        }
    }

    /// A text of Unicode scalars of all planes, most of which are combining marks or ASCII.
    private static func text(using random: inout SeededGenerator) -> String {
        var text = ""
        for _ in 0..<random.int(in: 0..<12) {
            let ranges: [ClosedRange<Int>] = [0...127, 97...122, 0x300...0x30F, 0...0x10FFFF]
            if let scalar = Unicode.Scalar(UInt32(random.int(in: random.pick(ranges)))) {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
