import Foundation

/// The time that a request may take.
extension DataStoreRequest {
    /// The deadline of a request that contains MATCHES or SUBQUERY, and that sets no other: 30 seconds of work.
    ///
    /// Even a short predicate with one of these can keep a store busy for hours.
    public static let deadlineOfCostlyPredicates: Duration = .seconds(30)

    /// Runs the work of the request, which ``WorkLimit/check()`` ends when the deadline has passed.
    ///
    /// Stores call this in each call that carries a request out, with the aggregation if there is one. The calls that
    /// `body` makes on its thread are part of the work, except in ``WorkLimit/pausing(_:)``.
    public func withinDeadline<Value, Failure: Error>(
        _ aggregation: DataStoreAggregation? = nil, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let (deadline, isCostly) = work
        if let deadline { return try WorkLimit.within(deadline, countsPauses: true, body) }
        guard isCostly || aggregation?.isCostly == true else { return try body() }
        return try WorkLimit.within(Self.deadlineOfCostlyPredicates, countsPauses: false, body)
    }
}

extension DataStoreAggregation {
    fileprivate var isCostly: Bool {
        keys.contains { $0.isCostlyKey } || aggregates.contains { $0.key?.isCostlyKey == true }
            || having?.isCostly == true
    }
}

extension String {
    /// Whether a key is an expression with MATCHES or SUBQUERY in it.
    var isCostlyKey: Bool {
        utf8.contains(UInt8(ascii: "("))
            && ["MATCHES", "SUBQUERY"].contains { range(of: $0, options: .caseInsensitive) != nil }
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
