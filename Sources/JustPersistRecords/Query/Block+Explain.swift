import JustPersist

extension Block {
    /// Carries a request out, and tells how.
    func explain(_ request: DataStoreRequest) throws(DataStoreError) -> QueryPlan {
        try checkOpen("explain")
        try prepareForQuery()
        let query = try Query(request.copy(), in: self)
        (recordsExamined, entriesExamined) = (0, 0)
        let evaluated = request.predicate?.evaluations.count ?? 0
        guard query.table != nil else {
            return QueryPlan(access: .none, matched: 0, evaluatedByFoundation: evaluated)
        }
        var matched = 0
        let chosen = try access(for: query)
        let taken = try rows(query, chosen) { (_, _) throws(DataStoreError) in matched += 1 }
        var abandoned: QueryPlan.IndexUse?
        if case .ordered(let order) = chosen {
            if case .ordered = taken {} else { abandoned = use(of: order) }
        }
        return QueryPlan(
            access: description(of: taken), abandoned: abandoned,
            entriesExamined: entriesExamined, recordsExamined: recordsExamined, matched: matched,
            evaluatedByFoundation: evaluated)
    }

    private func use(of order: IndexOrder) -> QueryPlan.IndexUse {
        QueryPlan.IndexUse(
            attributes: order.ranges.index.names, restricted: order.ranges.conditions.count,
            givesOrder: true, ignoresCase: order.ranges.index.ignoresCase)
    }

    private func description(of access: AccessPath) -> QueryPlan.Access {
        switch access {
        case .scan: return .scan
        case .ids: return .ids
        case .ordered(let order): return .indexes([use(of: order)])
        case .entries(_, let union, _):
            return .indexes(
                union.map { ranges in
                    QueryPlan.IndexUse(
                        attributes: ranges.index.names, restricted: ranges.conditions.count,
                        givesOrder: false, ignoresCase: ranges.index.ignoresCase)
                })
        }
    }
}
