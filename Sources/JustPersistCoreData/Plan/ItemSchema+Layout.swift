import JustPersist

extension Layout.ItemKind {
    /// The names of the properties that an index can have.
    var indexable: Set<String> {
        Set(fields.map(\.attribute.name)).union(
            links.filter { !$0.relationship.isToMany }.map(\.name))
    }

    /// The uniqueness constraints of the model.
    var uniqueIndexes: [IndexSchema] {
        unique.filter(indexable.isSuperset).map { IndexSchema($0, isUnique: true) }
    }

    /// The declaration of the type.
    ///
    /// - Parameters:
    ///   - findings: What the rows have: a demand that they do not meet is not declared.
    ///   - further: Unique indexes that the model does not have.
    ///   - isWhole: Whether numbers of others and uniqueness are declared. They hold when all items are written, not before.
    ///   - notes: The demands that are not declared.
    func schema(
        _ findings: Findings, _ further: [IndexSchema] = [], isWhole: Bool,
        _ notes: inout [CoreDataImport.Note]
    ) -> ItemSchema {
        var names = Set(fields.map(\.attribute.name) + links.map(\.name))
        /// A former name that no other property has or had.
        func former(_ name: String?) -> [String] {
            guard let name, names.insert(name).inserted else { return [] }
            return [name]
        }
        let attributes = fields.map { field in
            let attribute = field.attribute
            let property = Findings.Property(kind: self.name, name: attribute.name)
            let isOfOtherKind = findings[property, .odd(.otherKind)] != nil
            let kinds = isOfOtherKind ? nil : DataStoreValue.Kind(attribute)
            let hasNulls = findings[property, .null] != nil
            return AttributeSchema(
                attribute.name, kinds: kinds.map { [$0] } ?? [], default: attribute.defaultValue,
                isOptional: attribute.isOptional || hasNulls,
                formerNames: former(attribute.formerName))
        }
        let relationships = links.map { link in
            let property = Findings.Property(kind: name, name: link.name)
            let counts = findings.counts[property] ?? [:]
            var (minimum, maximum) = (link.minimum, link.maximum)
            let enough = counts.values.count { $0 >= minimum }
            let lacking = minimum > 0 ? (findings.rows[name] ?? 0) - enough : 0
            if lacking > 0 {
                notes.append(
                    .init(
                        name, link.name,
                        "has fewer others than the \(minimum) of the model: not demanded", lacking))
                minimum = 0
            }
            if let most = maximum, let above = Optional(counts.values.count { $0 > most }),
                above > 0
            {
                notes.append(
                    .init(
                        name, link.name,
                        "has more others than the \(most) of the model: not limited", above))
                maximum = nil
            }
            return RelationshipSchema(
                link.name, to: link.target, isToMany: link.relationship.isToMany,
                isOrdered: link.relationship.isToMany && link.relationship.isOrdered,
                deleteRule: link.relationship.deleteRule, inverse: link.inverse,
                minimum: isWhole ? minimum : 0, maximum: isWhole ? maximum : nil,
                formerNames: former(link.isSplit ? nil : link.relationship.formerName))
        }
        let known = indexable
        func schemas(_ lists: [[String]], isUnique: Bool) -> [IndexSchema] {
            lists.compactMap { list in
                let property = Findings.Property(kind: name, name: list.joined(separator: ", "))
                if known.isSuperset(of: list) {
                    let agree = isUnique && findings[property, .equal] != nil
                    return IndexSchema(list, isUnique: isUnique && !agree)
                }
                notes.append(
                    .init(
                        name, list.joined(separator: ", "),
                        isUnique ? "is not declared unique" : "is not indexed"))
                return nil
            }
        }
        let unique = schemas(unique, isUnique: true) + further
        let indexes = schemas(indexes, isUnique: false).filter { index in
            // A unique index is one, too.
            !unique.contains { $0.attributes == index.attributes }
        }
        var seen: Set<IndexSchema> = []
        return ItemSchema(
            name, formerTypeKeys: formerName.map { [$0] } ?? [], attributes: attributes,
            indexes: ((isWhole ? unique : unique.filter { !$0.isUnique }) + indexes)
                .filter { seen.insert($0).inserted },
            relationships: relationships)
    }
}
