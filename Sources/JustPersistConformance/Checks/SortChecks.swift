import Foundation
import JustPersist

/// Checks of the order of items.
enum SortChecks {
    static let all: [CheckDefinition] = keys + order + texts

    private static let keys: [CheckDefinition] = [
        CheckDefinition(
            "sort/single-key", clause: [10, 12],
            "Values of each kind sort as the contract orders them, in both directions."
        ) { check in
            let store = try check.openStore()
            let samples = SampleValues(check.capabilities)
            var random = check.generator("places")
            for kind in samples.sortedKinds {
                let values = samples.ascending(kind)
                let places = random.shuffled(Array(values.indices))
                let corpus = try Corpus(
                    places.map { ["key": values[$0]] }, as: "ConformanceSort\(kind)", in: store)
                let sorted = values.indices.compactMap { rank in
                    places.firstIndex(of: rank).map { corpus.ids[$0] }
                }
                for ascending in [true, false] {
                    let query = Query(sort: [.init(key: "key", ascending: ascending)])
                    check.expectItems(
                        try corpus.answer(query), ascending ? sorted : sorted.reversed(),
                        of: corpus, "values of kind \(kind): \(query)", query.names)
                    try check.expectAnswer(query, of: corpus)
                }
            }
            let corpus = try Corpus.mixed(check, in: store)
            for attribute in corpus.attributes {
                try check.expectAnswer(Query(sort: [.ascending(attribute)]), of: corpus)
                try check.expectAnswer(Query(sort: [.descending(attribute)]), of: corpus)
            }
        },
        CheckDefinition(
            "sort/nan-and-mixed-kinds-total-order", clause: [10],
            "Values of all kinds in one attribute, including NaN, have one total order."
        ) { check in
            let samples = SampleValues(check.capabilities)
            let store = try check.openStore()
            var random = check.generator("values")
            // Numbers of all kinds are sorted together, followed by NaN and then by the other kinds, one by one.
            let ranked: [DataStoreValue] =
                [.null, .double(-.infinity), .int(-1), .double(-0.5), .bool(false), .double(0.5)]
                + [.bool(true), .decimal(2), .int(9_007_199_254_740_993), .double(.infinity)]
                + [.double(.nan), .string(""), .string("\u{1F642}")]
                + [.date, .data, .uuid, .url, .reference, .array, .dictionary].flatMap {
                    samples.ascending($0).suffix(1)
                }
            let values = ranked.filter(samples.isDeclared)
            for round in 0..<check.profile.pick(quick: 3, full: 10, soak: 100) {
                let order = random.shuffled(Array(values.indices))
                let corpus = try Corpus(
                    order.map { ["key": values[$0]] }, as: "ConformanceMixed\(round)", in: store)
                let wanted = values.indices.compactMap { order.firstIndex(of: $0) }
                try expect(check, Query(sort: [.ascending("key")]), wanted, of: corpus)
                try expect(check, Query(sort: [.descending("key")]), wanted.reversed(), of: corpus)
            }
            let many = random.shuffled(
                samples.all + samples.all + [.double(.nan), .null, .double(0)])
            let corpus = try Corpus(
                many.map { ["key": $0] }, as: "ConformanceAllKinds", in: store)
            for ascending in [true, false] {
                try check.expectAnswer(
                    Query(sort: [.init(key: "key", ascending: ascending)]), of: corpus)
            }
        },
    ]

    /// Expects an order that the check lists explicitly.
    static func expect(
        _ check: CheckContext, _ query: Query, _ indexes: [Int], of corpus: Corpus,
        file: String = #fileID, line: Int = #line
    ) throws {
        let wanted = indexes.map { corpus.ids[$0] }
        try check.require(
            try corpus.wanted(query) == wanted, "The kit contradicts itself about \(query)",
            file: file, line: line)
        try check.expectAnswer(query, of: corpus, file: file, line: line)
    }
}
