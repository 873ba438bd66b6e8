import JustPersist

extension DataStoreValue {
    /// The value with every reference in it replaced.
    func mapReferences(_ map: (ItemReference) -> ItemReference) -> DataStoreValue {
        switch self {
        case .reference(let reference): .reference(map(reference))
        case .array(let values): .array(values.map { $0.mapReferences(map) })
        case .dictionary(let values): .dictionary(values.mapValues { $0.mapReferences(map) })
        default: self
        }
    }
}

extension DataStorePredicate {
    /// The predicate with every reference among its constants replaced.
    func mapReferences(_ map: (ItemReference) -> ItemReference) -> DataStorePredicate {
        switch self {
        case .constant: self
        case .not(let part): .not(part.mapReferences(map))
        case .and(let parts): .and(parts.map { $0.mapReferences(map) })
        case .or(let parts): .or(parts.map { $0.mapReferences(map) })
        case .comparison(let comparison):
            .comparison(
                Comparison(
                    comparison.left.mapReferences(map), comparison.operator,
                    comparison.right.mapReferences(map), modifier: comparison.modifier,
                    options: comparison.options))
        }
    }
}

extension DataStorePredicate.Expression {
    fileprivate func mapReferences(_ map: (ItemReference) -> ItemReference) -> Self {
        switch self {
        case .value(let value): .value(value.mapReferences(map))
        case .list(let parts): .list(parts.map { $0.mapReferences(map) })
        default: self
        }
    }
}
