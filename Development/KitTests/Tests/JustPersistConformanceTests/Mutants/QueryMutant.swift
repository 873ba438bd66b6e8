@testable import JustPersist
@testable import JustPersistConformance

/// A store with a fault in one of the steps of a request.
class QueryMutant: SabotagedStore, @unchecked Sendable {
    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.rows = { request, state throws(DataStoreError) in
            try request.withinDeadline { () throws(DataStoreError) in
                try rows(request, in: state)
            }
        }
        rules.count = { request, state throws(DataStoreError) in
            try request.withinDeadline { () throws(DataStoreError) in
                try count(request, in: state)
            }
        }
        return rules
    }

    class func rows(
        _ request: DataStoreRequest, in state: ReferenceState
    ) throws(DataStoreError) -> [ReferenceRow] {
        try validate(request, state)
        try WorkLimit.check()
        let key = try state.type(of: request.type)?.key
        let all = state.rows.filter { $0.key.itemType == key }
        let matching = filtered(all, request, state)
        if let error = failure(all, request, state) { throw error }
        try ReferenceQuery.checkSortable(matching, request, state)
        let sorted = sorted(matching, request, state)
        return sliced(sorted, offset: request.offset ?? 0, limit: request.limit ?? 0)
    }

    class func count(
        _ request: DataStoreRequest, in state: ReferenceState
    ) throws(DataStoreError) -> Int {
        try rows(request, in: state).count
    }

    class func validate(
        _ request: DataStoreRequest, _ state: ReferenceState
    ) throws(DataStoreError) {
        try request.validate(stored: state.type(of: request.type)?.schema)
    }

    class func filtered(
        _ rows: [ReferenceRow], _ request: DataStoreRequest, _ state: ReferenceState
    ) -> [ReferenceRow] {
        guard let predicate = request.predicate else { return rows }
        return rows.filter {
            matches(predicate, ReferenceQuery.subject($0, request.type, state))
        }
    }

    /// The error of a part of the predicate that is evaluated on items.
    class func failure(
        _ rows: [ReferenceRow], _ request: DataStoreRequest, _ state: ReferenceState
    ) -> DataStoreError? {
        guard let predicate = request.predicate, !predicate.evaluations.isEmpty else { return nil }
        return rows.lazy.compactMap { row in
            let subject = ReferenceQuery.subject(row, request.type, state)
            _ = ReferencePredicate.matches(predicate, subject)
            return subject.failure.error
        }.first
    }

    class func sorted(
        _ rows: [ReferenceRow], _ request: DataStoreRequest, _ state: ReferenceState
    ) -> [ReferenceRow] {
        ReferenceQuery.sorted(rows, request, state)
    }

    class func sliced(_ rows: [ReferenceRow], offset: Int, limit: Int) -> [ReferenceRow] {
        ReferenceQuery.sliced(rows, offset: offset, limit: limit)
    }

    // MARK: Predicates

    typealias Subject = ReferencePredicate.Subject
    typealias Comparison = DataStorePredicate.Comparison
    typealias Expression = DataStorePredicate.Expression

    class func matches(_ predicate: DataStorePredicate, _ subject: Subject) -> Bool {
        switch predicate {
        case .constant(let value): value
        case .comparison(let comparison): holds(comparison, subject)
        case .and(let parts): parts.allSatisfy { matches($0, subject) }
        case .or(let parts): parts.contains { matches($0, subject) }
        case .not(let part): !matches(part, subject)
        case .evaluated: ReferencePredicate.matches(predicate, subject)
        }
    }

    class func holds(_ comparison: Comparison, _ subject: Subject) -> Bool {
        ReferencePredicate.matches(.comparison(comparison), subject)
    }

    /// A side of a comparison in the simple cases: a constant, or an attribute of the item itself.
    static func value(of side: Expression, _ subject: Subject) -> DataStoreValue {
        switch side {
        case .value(let value): value
        case .path(let path) where path.components.count == 1: subject.value(path.components[0])
        default: .null
        }
    }
}

/// A store that confuses values when it searches or sorts by them.
class SightMutant: QueryMutant, @unchecked Sendable {
    class func seen(_ value: DataStoreValue) -> DataStoreValue { value }

    private class func seenInside(_ value: DataStoreValue) -> DataStoreValue {
        guard case .array(let values) = value else { return seen(value) }
        return .array(values.map(seen))
    }

    private class func seen(_ side: Expression) -> Expression {
        guard case .value(let value) = side else { return side }
        return .value(seenInside(value))
    }

    override class func holds(_ comparison: Comparison, _ subject: Subject) -> Bool {
        let comparison = Comparison(
            seen(comparison.left), comparison.operator, seen(comparison.right),
            modifier: comparison.modifier, options: comparison.options)
        let subject = Subject(
            value: { seenInside(subject.value($0)) },
            valueOfOther: { seenInside(subject.valueOfOther($0, $1)) })
        return super.holds(comparison, subject)
    }

    override class func sorted(
        _ rows: [ReferenceRow], _ request: DataStoreRequest, _ state: ReferenceState
    ) -> [ReferenceRow] {
        let seen = rows.map { ReferenceRow($0.key, values: $0.values.mapValues(seenInside)) }
        return super.sorted(seen, request, state).compactMap { state.row($0.key) }
    }
}
