import JustPersist

/// Checks that indexes change no answer, and that no two items have equal unique values.
///
/// For a store without indexes a declaration is a hint, so these checks apply to it too. They do not test whether a
/// store uses an index.
enum IndexChecks {
    static let all =
        answers + keeping + leaving + values + collections + uniqueness + changes + dropping
        + redeclaring + children + upserts

    /// The attribute with few different integers, which has an index.
    static let key = "key"
    /// The attribute with texts, which has an index.
    static let text = "text"
    /// The attribute without an index.
    static let other = "other"

    /// The error that a check throws to end a block.
    struct Rollback: Error {}

    /// Creates items with numbers, each of which occurs several times, with texts, and with an attribute without an
    /// index.
    ///
    /// There are so many items that a store with an index need not read all of them for one number.
    static func numbered(
        _ count: Int = 160, indexes: [IndexSchema] = indexes, as type: String = "ConformanceIndex",
        in store: any DataStore
    ) throws -> Corpus {
        try Corpus(
            (0..<count).map(row), attributes: [key, text, other], indexes: indexes, as: type,
            in: store)
    }

    /// The values of an item: every 40th item has an equal number, and every 13th has no text.
    static func row(_ number: Int) -> [String: DataStoreValue] {
        [
            key: .int(Int64(number * 7 % 40)),
            text: number % 13 == 0 ? .null : .string("text \(number % 90)"),
            other: .int(Int64(number % 3)),
        ]
    }

    static let indexes = [
        IndexSchema([key]), IndexSchema([text]), IndexSchema([key, text]),
    ]

    /// Requests for all parts of an index: each number by itself, the two ends, and the whole index in order.
    static let probes: [Query] = {
        let numbers: [Int64] = [-1, 0, 1, 7, 14, 17, 21, 39] + Array(40...47)
        var predicates = numbers.map { DataStorePredicate.compare(key, .equal, .int($0)) }
        predicates += [
            .constant(true), .compare(key, .equal, .null), .compare(text, .equal, .null),
            .compare(key, .equal, .string("moved")), .compare(key, .greater, .int(38)),
            .compare(key, .between, .array([.int(5), .int(6)])),
            .compare(key, .in, .array([.int(3), .int(41), .int(17), .null])),
            .compare(text, .in, .array([.string("new"), .string("text 9")])),
            .and([.compare(key, .equal, .int(7)), .compare(text, .greater, .string("text 4"))]),
        ]
        var probes = predicates.map { Query(predicate: $0) }
        for ascending in [true, false] {
            for attribute in [key, text] {
                let sort = [DataStoreSortDescriptor(key: attribute, ascending: ascending)]
                probes += [
                    Query(sort: sort), Query(sort: sort, limit: 12),
                    Query(sort: sort, offset: 20, limit: 12),
                    Query(
                        predicate: .compare(key, .less, .int(4)), sort: sort, limit: 40),
                ]
            }
        }
        return probes
    }()
}
