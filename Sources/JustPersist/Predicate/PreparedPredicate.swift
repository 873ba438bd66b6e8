public import Foundation

/// A predicate prepared for evaluation on many subjects: constants are folded and hashed once.
///
/// Make one for a request and use it for all items, from any thread. The predicate should have passed
/// ``DataStorePredicate/validate(operators:)``: the stack of an evaluation grows with its depth.
public indirect enum PreparedPredicate: Sendable {
    /// True or false for every subject.
    case constant(Bool)
    /// A relation between two expressions.
    case comparison(PreparedComparison)
    /// True if all parts are true, and if there are none.
    case and([PreparedPredicate])
    /// True if at least one part is true; false if there are none.
    case or([PreparedPredicate])
    /// True if the part is false.
    case not(PreparedPredicate)
    /// A condition that Swift code evaluates on the subject's item.
    case evaluated(DataStorePredicate.ItemEvaluation)

    /// Prepares a predicate; `now()` returns the given time, which is that of the request, or else the present.
    public init(_ predicate: DataStorePredicate, now: Date? = nil) {
        let now = now ?? Surroundings.date
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
    /// - Throws: The errors of the subject, and of ``DataStorePredicate/ItemEvaluation/matches(_:)``; `.limitExceeded`
    ///   for a MATCHES or a SUBQUERY that takes too many steps.
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

    /// Whether the result of at least one part is the wanted one.
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
    /// This prepares the predicate for one evaluation; for many subjects, make a ``PreparedPredicate`` once.
    ///
    /// - Throws: The errors of ``PreparedPredicate/matches(_:)``.
    public func matches(_ subject: some PredicateSubject) throws(DataStoreError) -> Bool {
        try PreparedPredicate(self).matches(subject)
    }
}

extension DataStorePredicate.Comparison {
    /// Whether the subject fulfils the comparison.
    ///
    /// This prepares the comparison for one evaluation; for many subjects, make a ``PreparedComparison`` once.
    ///
    /// - Throws: The errors of ``PreparedPredicate/matches(_:)``.
    public func matches(_ subject: some PredicateSubject) throws(DataStoreError) -> Bool {
        try PreparedComparison(self).matches(subject)
    }
}
