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
        mapExpressions { expression, _ in
            guard case .value(let value) = expression else { return expression }
            return .value(value.mapReferences(map))
        }
    }
}
