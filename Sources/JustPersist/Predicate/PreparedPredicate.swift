public import Foundation

/// A predicate made ready to be evaluated on many subjects: constants are folded and hashed once.
///
/// Make one for a request and use it for all items, from any thread. The predicate should have passed
/// ``DataStorePredicate/validate(operators:)``: evaluation uses stack in proportion to its depth.
public indirect enum PreparedPredicate: Sendable {
    /// True or false for every subject.
    case constant(Bool)
    /// A relation between two expressions.
    case comparison(PreparedComparison)
    /// True when all parts are: true when there are none.
    case and([PreparedPredicate])
    /// True when one part is at least: false when there are none.
    case or([PreparedPredicate])
    /// True when the part is false.
    case not(PreparedPredicate)
    /// Whether Swift code finds that the subject's item fulfils a condition.
    case evaluated(DataStorePredicate.ItemEvaluation)

    /// Prepares a predicate, in which `now()` returns the given time: that of the request.
    public init(_ predicate: DataStorePredicate, now: Date = Date()) {
        func prepared(_ part: DataStorePredicate) -> Self { Self(part, now: now) }
        switch predicate {
        case .constant(let value): self = .constant(value)
        case .comparison(let comparison):
            self = .comparison(PreparedComparison(comparison, now: now))
        case .and(let parts): self = .and(parts.map(prepared))
        case .or(let parts): self = .or(parts.map(prepared))
        case .not(let part): self = .not(prepared(part))
        case .evaluated(let evaluation): self = .evaluated(evaluation)
        }
    }

    /// Whether the subject fulfils the predicate.
    ///
    /// - Throws: What the subject throws, and what ``DataStorePredicate/ItemEvaluation/matches(_:)`` throws;
    ///   `.limitExceeded` for a MATCHES or a SUBQUERY that takes too many steps.
    public func matches(_ subject: some PredicateSubject) throws(DataStoreError) -> Bool {
        var scope = PredicateScope()
        return try matches(subject, &scope)
    }

    func matches(
        _ subject: some PredicateSubject, _ scope: inout PredicateScope
    ) throws(DataStoreError) -> Bool {
        switch self {
        case .constant(let value): return value
        case .comparison(let comparison): return try comparison.matches(subject, &scope)
        case .and(let parts): return try !Self.matchesOne(of: parts, false, subject, &scope)
        case .or(let parts): return try Self.matchesOne(of: parts, true, subject, &scope)
        case .not(let part): return try !part.matches(subject, &scope)
        case .evaluated(let evaluation):
            return try evaluation.matches(try subject.item(as: evaluation.itemClass))
        }
    }

    /// Whether the answer of one of the parts is the wanted one.
    private static func matchesOne(
        of parts: [PreparedPredicate], _ wanted: Bool, _ subject: some PredicateSubject,
        _ scope: inout PredicateScope
    ) throws(DataStoreError) -> Bool {
        for part in parts where try part.matches(subject, &scope) == wanted { return true }
        return false
    }
}

extension DataStorePredicate {
    /// Whether the subject fulfils the predicate.
    ///
    /// Prepares the predicate for this one answer; to ask about many subjects, make a
    /// ``PreparedPredicate`` once.
    ///
    /// - Throws: What ``PreparedPredicate/matches(_:)`` throws.
    public func matches(_ subject: some PredicateSubject) throws(DataStoreError) -> Bool {
        try PreparedPredicate(self).matches(subject)
    }
}

extension DataStorePredicate.Comparison {
    /// Whether the subject fulfils the comparison.
    ///
    /// Prepares the comparison for this one answer; to ask about many subjects, make a
    /// ``PreparedComparison`` once.
    ///
    /// - Throws: What ``PreparedPredicate/matches(_:)`` throws.
    public func matches(_ subject: some PredicateSubject) throws(DataStoreError) -> Bool {
        try PreparedComparison(self).matches(subject)
    }
}
