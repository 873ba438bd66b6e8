import ArgumentParser
import JustPersist

/// What `--group-by`, `--select` and `--having` ask for.
struct AggregateColumns {
    let aggregation: DataStoreAggregation

    /// Names as they are written in a list, separated by commas.
    static func list(_ text: String) -> [String] { QuotedNames.parts(of: text, separatedBy: ",") }

    /// Whether something is to be computed, and not items to be printed: a name that an attribute has is that attribute.
    static func areAskedFor(
        groupBy: [String]?, select: [String]?, ofAttributes names: Set<String>
    ) -> Bool {
        if groupBy != nil { return true }
        return select?.contains {
            !names.contains($0) && ($0.contains(":") || DataStoreAggregate(argument: $0) != nil)
        } == true
    }

    /// - Throws: A usage error for what is nothing to compute.
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
    /// What a text such as `average:stars` stands for; `nil` if that is nothing to compute.
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
