/// The time that a request may take.
extension DataStoreRequest {
    /// The deadline of a request that sets none and whose predicate contains MATCHES or SUBQUERY: 30 seconds.
    ///
    /// Even a short predicate with one of these can keep a store busy for hours.
    public static let deadlineOfCostlyPredicates: Duration = .seconds(30)

    /// Runs the work of the request, which ``WorkLimit/check()`` ends when the deadline has passed.
    ///
    /// Stores call this in each call that executes a request. Everything that `body` calls on its thread is part of
    /// the work.
    public func withinDeadline<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        guard let duration = effectiveDeadline else { return try body() }
        return try WorkLimit.within(duration, body)
    }
}

extension DataStorePredicate {
    /// Whether a part of the predicate can take a long time for one item, within the limit for one item.
    var isCostly: Bool {
        switch self {
        case .constant, .evaluated: false
        case .comparison(let comparison):
            comparison.operator == .matches || comparison.left.hasSubquery
                || comparison.right.hasSubquery
        case .and(let parts), .or(let parts): parts.contains(where: \.isCostly)
        case .not(let part): part.isCostly
        }
    }
}

extension DataStorePredicate.Expression {
    fileprivate var hasSubquery: Bool {
        switch self {
        case .value, .path, .count, .variable: false
        case .list(let parts), .function(_, let parts): parts.contains(where: \.hasSubquery)
        case .keyPath(of: let base, _), .cast(let base, _): base.hasSubquery
        case .element(of: let base, let index):
            if case .at(let place) = index {
                base.hasSubquery || place.hasSubquery
            } else {
                base.hasSubquery
            }
        case .ternary(let predicate, let first, let second):
            predicate.isCostly || first.hasSubquery || second.hasSubquery
        case .subquery: true
        }
    }
}
