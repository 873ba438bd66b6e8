import Foundation
import JustPersist

/// Checks of large numbers of elements other than items: just above 100, 1,024 and 4,096, at which stores change their
/// methods.
enum MultitudeChecks {
    /// The kind of element of which there are many.
    enum Multitude: String, CaseIterable, Sendable {
        case groups, keys, elements, members, attributes, types, commits
        case keyBytes = "key-bytes"
        case valueBytes = "value-bytes"

        /// The subject of a sentence.
        var words: String {
            switch self {
            case .groups: "Groups of an aggregation"
            case .keys: "Different values in an index"
            case .elements: "Elements of an array"
            case .members: "Values of IN, with an index and without,"
            case .attributes: "Attributes of a type"
            case .types: "Types with an item"
            case .commits: "Commits that an observer takes late"
            case .keyBytes: "Bytes that indexed texts have in common"
            case .valueBytes: "Bytes of a value"
            }
        }

        /// The numbers of elements.
        ///
        /// If large numbers take long, the profile `quick` leaves out the largest.
        func sizes(_ profile: ConformanceProfile) -> [Int] {
            switch self {
            case .elements, .members, .keyBytes, .valueBytes: [101, 1_025, 4_097]
            case .groups, .keys, .attributes, .types, .commits:
                profile == .quick ? [101, 1_025] : [101, 1_025, 4_097]
            }
        }

        var gate: Gate {
            switch self {
            case .commits: .requires(.changeStreams)
            case .elements: .requires(.valueKind(.array))
            case .valueBytes: .requires(.valueKind(.data))
            case .groups, .keys, .members, .attributes, .types, .keyBytes: .mandatory
            }
        }
    }

    static let all: [CheckDefinition] = Multitude.allCases.map { multitude in
        CheckDefinition(
            "many/\(multitude.rawValue)", clause: [4, 9, 10, 20], gate: multitude.gate,
            "\(multitude.words) may be 101, 1,025 and 4,097."
        ) { check in
            for count in multitude.sizes(check.profile) { try examine(multitude, count, check) }
        }
    }

    private static let number = "number"
    private static let text = "text"

    private static func examine(
        _ multitude: Multitude, _ count: Int, _ check: CheckContext
    ) throws {
        let numbers = (0..<count).map { DataStoreValue.int(Int64($0)) }
        let store = try check.openStore()
        /// Creates items with the numbers in descending order, of a type with or without an index.
        func filled(_ indexes: [IndexSchema]) throws -> Corpus {
            try check.requireBlocks(of: count)
            return try Corpus(
                numbers.reversed().map { [number: $0] }, indexes: indexes,
                as: "ConformanceMany\(indexes.count)", in: store)
        }
        func expectGroups(_ corpus: Corpus) throws {
            let rows = try store.read { db in
                try db.performAggregate(
                    Query().request(corpus.type),
                    DataStoreAggregation(groupedBy: [number], [.count]))
            }
            check.expectEqual(rows.map(\.values), numbers.map { [$0, .int(1)] }, "\(count) groups")
        }
        switch multitude {
        case .groups: try expectGroups(try filled([]))
        case .keys:
            let corpus = try filled([IndexSchema([number])])
            try expectGroups(corpus)
            for query in [
                Query(sort: [.ascending(number)]), Query(sort: [.descending(number)]),
                Query(sort: [.ascending(number)], offset: count - 1, limit: 1),
                Query(predicate: .compare(number, .greaterOrEqual, .int(1))),
            ] {
                try check.expectAnswer(query, of: corpus)
            }
        case .members:
            for indexes in [[], [IndexSchema([number])]] {
                let corpus = try Corpus(
                    [-1, 0, count - 1, count].map { [number: .int(Int64($0))] }, indexes: indexes,
                    as: "ConformanceMembers\(indexes.count)", in: store)
                try check.expectItems(
                    [1, 2], where: .compare(number, .in, .array(numbers)), of: corpus)
            }
        case .elements:
            let indexes = [[], [IndexSchema(["list"])]]
            for index in indexes {
                let corpus = try Corpus(
                    [["list": .array(numbers)], ["list": .array(numbers.dropLast())]],
                    indexes: index, as: "ConformanceLists\(index.count)", in: store)
                check.expectIdentical(
                    try StoredType(corpus.type, knownIn: store, check).values(of: corpus.ids[0])?[
                        "list"] ?? .null, .array(numbers), "an array of \(count) elements")
                try check.expectItems(
                    [0], where: .compare("list", .equal, numbers[count - 1], modifier: .any),
                    of: corpus)
            }
        case .attributes:
            let names = (0..<count).map { "a\($0)" }
            let type = try StoredType("ConformanceWide", names, in: store, check)
            var values = Dictionary(uniqueKeysWithValues: zip(names, numbers))
            let id = try type.create(values)
            try type.expectValues(values, of: id, "with \(count) attributes")
            try type.set([names[50]: .null, names[count - 2]: .string("new")], of: id)
            values[names[50]] = nil
            values[names[count - 2]] = .string("new")
            try type.expectValues(values, of: id, "of which two were changed")
            check.expectEqual(
                try type.ids(where: .compare(names[count - 1], .equal, numbers[count - 1])), [id],
                "the item found by its last of \(count) attributes")
            check.expectEqual(
                try store.read { db in
                    try db.schemas().first { $0.itemTypeKey == type.key }?.attributes.count
                }, count, "the attributes that the store lists")
        case .types:
            let types = (0..<count).map { StoredType("ManyTypes\($0)", knownIn: store, check) }
            let ids = try store.write { db in
                try zip(types, numbers).map { type, value in
                    check.tick()
                    try type.declare([number], db)
                    return try type.create([number: value], db).uniqueToken
                }
            }
            try store.read { db in
                for (index, type) in types.enumerated() {
                    check.expectEqual(
                        try db.ids(Query(), of: type.key), [ids[index]],
                        "the items of one of \(count) types")
                }
            }
        case .commits:
            let items = try NamedItems(in: store)
            let observation = try store.observeChanges(
                .everything, since: try store.read { db in try db.performChangeToken() })
            for number in 0..<count {
                try store.write { db in try items.create("\(number)", number, db) }
                if number % 100 == 0 { check.tick() }
            }
            let ids = try store.read { db in try items.items(db).map { $0.uniqueToken } }
            check.expectEqual(ids.count, count, "the items of late commits")
            var told: Set<ItemID> = []
            while let set = observation.poll() {
                // The set may be incomplete, if the store has not kept all commits.
                guard set.isComplete, set[items.key]?.isComplete != false else { return }
                told.formUnion(set[items.key]?.inserted ?? [])
            }
            check.expectEqual(
                told.count, count, "the items that are reported of \(count) late commits")
        case .keyBytes:
            try check.require(
                count < check.capabilities.limits.valueBytes, "a limit of values below \(count)")
            let start = String(repeating: "k", count: count - 1)
            let texts = ["c", "a", "d", "b"].map { DataStoreValue.string(start + $0) }
            for indexes in [[], [IndexSchema([text])]] {
                let corpus = try Corpus(
                    texts.map { [text: $0] }, indexes: indexes,
                    as: "ConformanceLong\(indexes.count)", in: store)
                try check.expectAnswer(Query(sort: [.ascending(text)]), of: corpus)
                for value in texts {
                    try check.expectAnswer(.compare(text, .equal, value), of: corpus)
                    try check.expectAnswer(.compare(text, .greater, value), of: corpus)
                }
            }
        case .valueBytes:
            let type = try StoredType("ConformanceLarge", ["text", "data"], in: store, check)
            let values: [String: DataStoreValue] = [
                "text": .string(String(repeating: "t", count: count - 1) + "!"),
                "data": .data(Data(repeating: 7, count: count - 1) + [1]),
            ]
            let id = try type.create(values)
            try type.expectValues(values, of: id, "of \(count) bytes")
            if check.reopeningKeepsData {
                try type.reopened().expectValues(values, of: id, "of \(count) bytes, reopened")
            }
        }
    }
}
