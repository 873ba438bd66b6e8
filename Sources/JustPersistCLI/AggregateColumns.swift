import ArgumentParser
import JustPersist

/// The aggregation of `--group-by`, `--select` and `--having`.
struct AggregateColumns {
    let aggregation: DataStoreAggregation

    /// The names in a comma-separated list.
    static func list(_ text: String) -> [String] { QuotedNames.parts(of: text, separatedBy: ",") }

    /// Whether an aggregation is requested, rather than items: the name of an attribute always refers to the
    /// attribute.
    static func areAskedFor(
        groupBy: [String]?, select: [String]?, ofAttributes names: Set<String>
    ) -> Bool {
        if groupBy != nil { return true }
        return select?.contains {
            !names.contains($0) && ($0.contains(":") || DataStoreAggregate(argument: $0) != nil)
        } == true
    }

    /// - Throws: A usage error for a name that cannot be computed.
    init(groupBy: [String]?, select: [String]?, having: String?) throws {
        let aggregates = try (select ?? ["count"]).map { text in
            guard let aggregate = DataStoreAggregate(argument: text) else {
                throw ValidationError(
                    "--select: “\(text)” is nothing to compute. Write count, count:KEY, sum:KEY, average:KEY, min:KEY or max:KEY; the keys of the groups are printed anyway."
                )
            }
            return aggregate
        }
        aggregation = DataStoreAggregation(
            groupedBy: groupBy ?? [], aggregates,
            having: try having.map { text in try DataStorePredicate(text, arguments: []) })
    }
}

extension DataStoreAggregate {
    /// The aggregate of a text such as `average:stars`; `nil` if it is not an aggregate.
    init?(argument text: String) {
        if text == "count" {
            self = .count
            return
        }
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2, let function = Function(rawValue: parts[0]) else { return nil }
        self.init(function, of: parts[1])
    }
}
