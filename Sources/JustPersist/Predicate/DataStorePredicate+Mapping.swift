extension DataStorePredicate {
    typealias Transform<Failure: Error> = (
        _ expression: Expression, _ boundVariables: Set<String>
    ) throws(Failure) -> Expression

    /// The predicate with every expression in it replaced, inner expressions first.
    ///
    /// `transform` receives the variables of the SUBQUERYs around the expression. The stack grows with the depth.
    package func mapExpressions<Failure: Error>(
        _ transform: (
            _ expression: Expression, _ boundVariables: Set<String>
        ) throws(Failure) -> Expression
    ) throws(Failure) -> DataStorePredicate {
        try mapped(bound: [], transform)
    }

    /// The predicate with every comparison replaced, except for those inside SUBQUERYs and conditional expressions.
    package func mapComparisons<Failure: Error>(
        _ transform: (_ comparison: Comparison) throws(Failure) -> DataStorePredicate
    ) throws(Failure) -> DataStorePredicate {
        func mapped(_ parts: [DataStorePredicate]) throws(Failure) -> [DataStorePredicate] {
            var mapped: [DataStorePredicate] = []
            mapped.reserveCapacity(parts.count)
            for part in parts { mapped.append(try part.mapComparisons(transform)) }
            return mapped
        }
        switch self {
        case .constant, .evaluated: return self
        case .not(let part): return .not(try part.mapComparisons(transform))
        case .and(let parts): return .and(try mapped(parts))
        case .or(let parts): return .or(try mapped(parts))
        case .comparison(let comparison): return try transform(comparison)
        }
    }

    /// The paths in the predicate that begin at the item.
    package var paths: [AttributePath] {
        // Most predicates are one comparison of an attribute with a value.
        if case .comparison(let comparison) = self, case .path(let path) = comparison.left,
            case .value = comparison.right
        {
            return [path]
        }
        var paths: [AttributePath] = []
        _ = mapExpressions { expression, _ in
            switch expression {
            case .path(let path), .count(let path): paths.append(path)
            default: break
            }
            return expression
        }
        return paths
    }

    fileprivate func mapped<Failure: Error>(
        bound: Set<String>, _ transform: Transform<Failure>
    ) throws(Failure) -> DataStorePredicate {
        try mapComparisons { (comparison) throws(Failure) in
            .comparison(
                Comparison(
                    try comparison.left.mapped(bound: bound, transform), comparison.operator,
                    try comparison.right.mapped(bound: bound, transform),
                    modifier: comparison.modifier, options: comparison.options))
        }
    }
}

extension DataStorePredicate.Expression {
    fileprivate func mapped<Failure: Error>(
        bound: Set<String>, _ transform: DataStorePredicate.Transform<Failure>
    ) throws(Failure) -> Self {
        func inner(_ part: Self) throws(Failure) -> Self {
            try part.mapped(bound: bound, transform)
        }
        func inner(_ parts: [Self]) throws(Failure) -> [Self] {
            var mapped: [Self] = []
            for part in parts { mapped.append(try inner(part)) }
            return mapped
        }
        let mapped: Self
        switch self {
        case .value, .path, .count, .variable: mapped = self
        case .list(let parts): mapped = .list(try inner(parts))
        case .keyPath(of: let base, let path): mapped = .keyPath(of: try inner(base), path)
        case .function(let function, let arguments):
            mapped = .function(function, try inner(arguments))
        case .element(of: let base, .at(let place)):
            mapped = .element(of: try inner(base), .at(try inner(place)))
        case .element(of: let base, let index): mapped = .element(of: try inner(base), index)
        case .subquery(let collection, let variable, let predicate):
            mapped = .subquery(
                try inner(collection), variable: variable,
                try predicate.mapped(bound: bound.union([variable]), transform))
        case .ternary(let predicate, let first, let second):
            mapped = .ternary(
                try predicate.mapped(bound: bound, transform), try inner(first), try inner(second))
        case .cast(let part, let valueClass): mapped = .cast(try inner(part), to: valueClass)
        }
        return try transform(mapped, bound)
    }
}
