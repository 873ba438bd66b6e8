/// Relationships to items that were deleted.
extension [ItemSchema] {
    /// The to-one relationships of a type whose others may be deleted under a rule of no action, so that their references
    /// stay.
    package func dangling(of type: ItemType) -> Set<String> {
        guard let schema = type.schema ?? self.schema(ofType: type.key) else { return [] }
        var names: Set<String> = []
        for relationship in schema.relationships where !relationship.isToMany {
            let relation = try? relation(relationship, of: schema, isWhole: false)
            if relation?.inverse?.deleteRule == .noAction { names.insert(relationship.name) }
        }
        return names
    }
}

extension DataStorePredicate {
    /// The predicate with each comparison of one of these relationships with nil replaced by one that asks whether its
    /// item exists.
    package func askingForTargets(of relationships: Set<String>) -> DataStorePredicate {
        switch self {
        case .constant, .evaluated: return self
        case .not(let part): return .not(part.askingForTargets(of: relationships))
        case .and(let parts): return .and(parts.map { $0.askingForTargets(of: relationships) })
        case .or(let parts): return .or(parts.map { $0.askingForTargets(of: relationships) })
        case .comparison(let comparison):
            guard case .path(let path) = comparison.left, path.components.count == 1,
                relationships.contains(path.components[0]),
                comparison.right == .value(.null),
                comparison.operator == .equal || comparison.operator == .notEqual
            else { return self }
            let token = AttributePath.uniqueToken.components
            return .comparison(
                Comparison(
                    .path(AttributePath(path.components + token)), comparison.operator,
                    comparison.right, modifier: comparison.modifier, options: comparison.options))
        }
    }
}
