import JustPersist

extension DataStorePredicate {
    /// A small predicate that still fails, reached from this one by steps that each make it simpler.
    func shrunk(while fails: (DataStorePredicate) throws -> Bool) rethrows -> DataStorePredicate {
        var smallest = self
        while let simpler = try smallest.simpler.first(where: fails) { smallest = simpler }
        return smallest
    }

    /// Predicates that are simpler by one step, the simplest first.
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

    /// Lists without one part, or with a simpler one.
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
    /// Comparisons without their options, their modifier, or an element of a list.
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
