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

    /// Prepares a predicate.
    public init(_ predicate: DataStorePredicate) {
        switch predicate {
        case .constant(let value): self = .constant(value)
        case .comparison(let comparison): self = .comparison(PreparedComparison(comparison))
        case .and(let parts): self = .and(parts.map(PreparedPredicate.init))
        case .or(let parts): self = .or(parts.map(PreparedPredicate.init))
        case .not(let part): self = .not(PreparedPredicate(part))
        }
    }

    /// Whether the subject fulfils the predicate.
    ///
    /// - Throws: What the subject throws.
    public func matches(_ subject: some PredicateSubject) throws(DataStoreError) -> Bool {
        switch self {
        case .constant(let value): return value
        case .comparison(let comparison): return try comparison.matches(subject)
        case .and(let parts):
            for part in parts where try !part.matches(subject) { return false }
            return true
        case .or(let parts):
            for part in parts where try part.matches(subject) { return true }
            return false
        case .not(let part): return try !part.matches(subject)
        }
    }
}

extension DataStorePredicate {
    /// Whether the subject fulfils the predicate.
    ///
    /// Prepares the predicate for this one answer; to ask about many subjects, make a
    /// ``PreparedPredicate`` once.
    ///
    /// - Throws: What the subject throws.
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
    /// - Throws: What the subject throws.
    public func matches(_ subject: some PredicateSubject) throws(DataStoreError) -> Bool {
        try PreparedComparison(self).matches(subject)
    }
}
