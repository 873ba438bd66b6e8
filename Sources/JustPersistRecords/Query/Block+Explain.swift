import JustPersist

extension Block {
    /// Carries a request out, and tells how.
    func explain(_ request: DataStoreRequest) throws(DataStoreError) -> QueryPlan {
        try checkOpen("explain")
        try prepareForQuery()
        let query = try Query(request.copy(), in: self)
        (recordsExamined, entriesExamined) = (0, 0)
        var matched = 0
        var way = QueryPlan.Access.none
        var abandoned: QueryPlan.IndexUse?
        if query.table != nil {
            var access = try access(for: query)
            if case .ordered(let order) = access {
                if let rows = try orderedRows(query, order) {
                    matched = max(0, rows.count - query.slice.offset)
                } else {
                    abandoned = use(of: order)
                    access = try self.access(for: query, mayBeOrdered: false)
                }
            }
            way = description(of: access)
            if case .ordered = access {
            } else {
                try rows(query, access) { (_, _) throws(DataStoreError) in matched += 1 }
            }
        }
        return QueryPlan(
            access: way, abandoned: abandoned, entriesExamined: entriesExamined,
            recordsExamined: recordsExamined,
            matched: matched)
    }

    private func use(of order: IndexOrder) -> QueryPlan.IndexUse {
        QueryPlan.IndexUse(
            attributes: order.ranges.index.names, restricted: order.ranges.conditions.count,
            givesOrder: true)
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
                        givesOrder: false)
                })
        }
    }
}
