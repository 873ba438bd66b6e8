import JustPersist

extension Block {
    /// Carries a request out, and tells how.
    func explain(_ request: DataStoreRequest) throws(DataStoreError) -> QueryPlan {
        try checkOpen("explain")
        try prepareForQuery()
        let query = try Query(request, in: self)
        (recordsExamined, entriesExamined) = (0, 0)
        var matched = 0
        var way = QueryPlan.Access.none
        if query.table != nil {
            let access = try access(for: query)
            way = description(of: access, query)
            try rows(query, access) { (_, _) throws(DataStoreError) in matched += 1 }
        }
        return QueryPlan(
            access: way, entriesExamined: entriesExamined, recordsExamined: recordsExamined,
            matched: matched)
    }

    private func description(of access: AccessPath, _ query: Query) -> QueryPlan.Access {
        switch access {
        case .scan: return .scan
        case .ids: return .ids
        case .ordered(let order):
            return .indexes([
                QueryPlan.IndexUse(
                    attributes: order.ranges.index.names,
                    restricted: order.ranges.conditions.count, givesOrder: true)
            ])
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
