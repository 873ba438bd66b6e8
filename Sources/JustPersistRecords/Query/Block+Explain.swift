import JustPersist

extension Block {
    /// Executes an operation, and describes how it was executed.
    func explain(
        _ operation: QueryPlan.Operation, _ request: DataStoreRequest
    ) throws(DataStoreError) -> QueryPlan {
        try checkOpen("explain")
        let note = PlanNote()
        explained = note
        defer { explained = nil }
        (recordsExamined, entriesExamined) = (0, 0)
        var matched = 0
        switch operation {
        case .fetch:
            try prepareForQuery()
            let query = try Query(request, in: self)
            try rows(query, try access(for: query)) { (_, _) throws(DataStoreError) in
                matched += 1
            }
        case .count: matched = try count(request)
        case .exists: matched = try count(request.first())
        case .aggregate(let aggregation): matched = try aggregate(request, aggregation).count
        }
        return QueryPlan(
            access: description(of: note.taken), abandoned: note.abandoned.map { use(of: $0) },
            entriesExamined: entriesExamined, recordsExamined: recordsExamined, matched: matched,
            evaluatedByFoundation: request.predicate?.evaluations.count ?? 0)
    }

    private func use(of ranges: IndexRanges, givesOrder: Bool = false) -> QueryPlan.IndexUse {
        QueryPlan.IndexUse(
            attributes: ranges.index.names, restricted: ranges.restricted,
            givesOrder: givesOrder, ignoresCase: ranges.index.ignoresCase)
    }

    private func description(of access: AccessPath) -> QueryPlan.Access {
        switch access {
        case .none: .none
        case .counter: .counter
        case .scan, .race: .scan
        case .ids: .ids
        case .ordered(let order, _): .indexes([use(of: order.ranges, givesOrder: true)])
        case .entries(_, let union), .entriesAlone(let union):
            .indexes(union.map { use(of: $0) })
        }
    }
}
