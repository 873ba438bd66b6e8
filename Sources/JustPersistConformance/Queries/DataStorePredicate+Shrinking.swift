import JustPersist

extension DataStorePredicate {
    /// A small predicate that still fails.
    ///
    /// It results from this one through steps that each make it simpler.
    func shrunk(while fails: (DataStorePredicate) throws -> Bool) rethrows -> DataStorePredicate {
        var smallest = self
        while let simpler = try smallest.simpler.first(where: fails) { smallest = simpler }
        return smallest
    }

    /// The predicates that are one step simpler, the simplest first.
    private var simpler: [DataStorePredicate] {
        switch self {
        case .constant, .evaluated: return []
        case .not(let part):
            return [part] + part.simpler.map(DataStorePredicate.not)
        case .and(let parts): return parts + Self.simpler(parts).map(DataStorePredicate.and)
        case .or(let parts): return parts + Self.simpler(parts).map(DataStorePredicate.or)
        case .comparison(let comparison):
            return comparison.simpler.map(DataStorePredicate.comparison)
        }
    }

    /// The lists without one part, or with one part simplified.
    private static func simpler(_ parts: [DataStorePredicate]) -> [[DataStorePredicate]] {
        parts.indices.map { index in
            Array(parts[..<index] + parts[(index + 1)...])
        }
            + parts.indices.flatMap { index in
                parts[index].simpler.map { part in
                    var parts = parts
                    parts[index] = part
                    return parts
                }
            }
    }
}

extension DataStorePredicate.Comparison {
    /// The comparison without its options, its modifier, or an element of a list.
    fileprivate var simpler: [Self] {
        var simpler: [Self] = []
        if !options.isEmpty { simpler.append(Self(left, self.operator, right, modifier: modifier)) }
        if modifier != .direct {
            simpler.append(Self(left, self.operator, right, options: options))
        }
        if self.operator == .in, case .value(.array(let values)) = right {
            for index in values.indices {
                var fewer = values
                fewer.remove(at: index)
                simpler.append(
                    Self(
                        left, .in, .value(.array(fewer)), modifier: modifier, options: options))
            }
        }
        return simpler
    }
}
