import JustPersist

/// A way to carry a request out.
///
/// All ways give one answer.
enum Way: String, CaseIterable, Sendable {
    case fetch, count, forEach, scan, aggregate, explain

    /// The primitive that carries the request out.
    var primitive: String { primitiveName(rawValue) }

    /// The result of a way: the number of items, and the items if it returns them.
    struct Answer: Sendable {
        let count: Int
        var ids: [ItemID]?
    }

    /// Whether the way gives the items, and so has an order.
    var givesItems: Bool { [.fetch, .forEach, .scan].contains(self) }

    /// Whether the offset and the limit of a request choose items; those of aggregates choose rows.
    var isSliced: Bool { self != .aggregate }

    /// Carries a request out.
    func answer<Accessor: DataStoreReadAccessor & ~Copyable>(
        to request: DataStoreRequest, _ db: borrowing Accessor
    ) throws -> Answer {
        var ids: [ItemID] = []
        switch self {
        case .fetch: ids = try db.performFetch(request).map { $0.uniqueToken }
        case .forEach: try db.performForEach(request) { ids.append($0.uniqueToken) }
        case .scan: try db.performScan(request) { ids.append($0.uniqueToken) }
        case .count: return Answer(count: try db.performCount(request))
        case .explain: return Answer(count: try db.performExplain(.fetch, request).matched)
        case .aggregate:
            let rows = try db.performAggregate(request, DataStoreAggregation([.count]))
            guard case .int(let count)? = rows.first?.values.first else { return Answer(count: -1) }
            return Answer(count: Int(count))
        }
        return Answer(count: ids.count, ids: ids)
    }
}
