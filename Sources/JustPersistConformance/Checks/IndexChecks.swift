import JustPersist

/// Indexes change no answer, and no two items have the same values where that is declared.
///
/// To a store without indexes a declaration is a hint, so these checks apply to it too. They see a store from
/// above: whether an index was used they neither know nor ask.
enum IndexChecks {
    static let all =
        answers + keeping + leaving + values + collections + uniqueness + changes + dropping
        + redeclaring + children + upserts

    /// The attribute with few whole numbers, which has an index.
    static let key = "key"
    /// The attribute with texts, which has an index.
    static let text = "text"
    /// The attribute without an index.
    static let other = "other"

    /// The error that a check throws to end a block.
    struct Rollback: Error {}

    /// So many items with numbers of which each comes several times, texts, and an attribute without an index.
    ///
    /// Many enough that no store need take the trouble to read all of them for one number.
    static func numbered(
        _ count: Int = 160, indexes: [IndexSchema] = indexes, as type: String = "ConformanceIndex",
        in store: any DataStore
    ) throws -> Corpus {
        try Corpus(
            (0..<count).map(row), attributes: [key, text, other], indexes: indexes, as: type,
            in: store)
    }

    /// The values of an item: every 40th has the same number, every 13th no text.
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

    /// Requests that look at an index from all sides: each part of it by itself, its two ends, and all of it in order.
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
