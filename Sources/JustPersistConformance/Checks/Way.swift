import JustPersist

/// A way to execute a request.
///
/// All ways must have equal results.
enum Way: String, CaseIterable, Sendable {
    case fetch, count, forEach, scan, aggregate, explain

    /// The primitive that executes the request.
    var primitive: String { primitiveName(rawValue) }

    /// A result: the number of items, and the items if the primitive returns them.
    struct Answer: Sendable {
        let count: Int
        var ids: [ItemID]?
    }

    /// Whether the primitive returns the items, and therefore has an order.
    var givesItems: Bool { [.fetch, .forEach, .scan].contains(self) }

    /// Whether the offset and the limit of a request select items.
    ///
    /// For aggregates they select rows.
    var isSliced: Bool { self != .aggregate }

    /// Executes a request.
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
