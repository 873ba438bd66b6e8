/// Relationships to items that were deleted.
extension [ItemSchema] {
    /// The to-one relationships of a type whose others may be deleted under a rule of no action, so that their references
    /// stay.
    package func dangling(of type: ItemType) -> Set<String> {
        guard let schema = type.schema ?? self.schema(ofType: type.key) else { return [] }
        var names: Set<String> = []
        for relationship in schema.relationships where !relationship.isToMany {
            let relation = try? relation(relationship, of: schema, isWhole: false)
            if relation?.inverse?.keepsReferences == true { names.insert(relationship.name) }
        }
        return names
    }
}

extension DataStorePredicate {
    /// The predicate with each comparison of one of these relationships with nil replaced by one that asks whether its
    /// item exists.
    package func askingForTargets(of relationships: Set<String>) -> DataStorePredicate {
        mapComparisons { comparison in
            guard case .path(let path) = comparison.left, path.components.count == 1,
                relationships.contains(path.components[0]),
                comparison.right == .value(.null),
                comparison.operator == .equal || comparison.operator == .notEqual
            else { return .comparison(comparison) }
            let token = AttributePath.uniqueToken.components
            return .comparison(
                Comparison(
                    .path(AttributePath(path.components + token)), comparison.operator,
                    comparison.right, modifier: comparison.modifier, options: comparison.options))
        }
    }

    /// The condition that an attribute refers to an item.
    static func reference(in attribute: String, to item: ItemReference) -> DataStorePredicate {
        .comparison(.init(.path(.init([attribute])), .equal, .value(.reference(item))))
    }
}
