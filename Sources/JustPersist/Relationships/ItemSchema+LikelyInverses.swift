import Logging

/// Advice on relationships that lead to each other and have no inverse.
extension ItemSchema {
    /// The pairs that were logged.
    private static let advised = Locked<Set<String>>([], isProcessWide: true)

    /// Logs the pairs of relationships that may be meant as inverses, each once in a process.
    func adviseOnInverses() {
        for relationship in relationships where relationship.inverse == nil {
            guard let destination = relationship.destinationClass,
                case let other = destination.schema,
                let inverse = likelyInverse(of: relationship, in: other),
                other.likelyInverse(of: inverse, in: self) == relationship,
                relationship.isPlain || inverse.isPlain
            else { continue }
            let pair = [
                "\(itemTypeKey).\(relationship.name)", "\(other.itemTypeKey).\(inverse.name)",
            ]
            .sorted().joined(separator: " ")
            guard Self.advised.withLock({ $0.insert(pair).inserted }) else { continue }
            // Created each time, because a program may configure logging after its first store.
            Logger(label: "JustPersist").notice(
                """
                “\(relationship.name)” of “\(itemTypeKey)” and “\(inverse.name)” of “\(other.itemTypeKey)” lead to each other, \
                and a change of one does not change the other. If they belong together, write @Relationship(inverse: \
                \\\(destination).\(inverse.name)) before “\(relationship.name)”. If not, write @Relationship before both.
                """)
        }
    }

    /// The only relationship of the other type that leads back and is free; `nil` if there are none or several.
    private func likelyInverse(
        of relationship: RelationshipSchema, in other: ItemSchema
    ) -> RelationshipSchema? {
        let back = other.relationships.filter { candidate in
            let isItself = other === self && candidate.name == relationship.name
            return !isItself && candidate.destination == itemTypeKey && candidate.inverse == nil
                && !relationships.contains {
                    $0.destination == other.itemTypeKey && $0.inverse == candidate.name
                }
        }
        let isTaken = other.relationships.contains {
            $0.destination == itemTypeKey && $0.inverse == relationship.name
        }
        return isTaken || back.count != 1 ? nil : back[0]
    }
}
