import JustPersist

/// A store and its types.
extension StoreView {
    struct Summary: Encodable {
        let name: String
        let isReadOnly: Bool
        /// Whether changes can be observed.
        let isLive: Bool
        let hasRawEntries: Bool
        /// Whether pages can change items.
        let isChangeable: Bool
    }

    struct TypeSummary: Encodable {
        struct Attribute: Encodable {
            let name: String
            /// The name as a predicate has it.
            let written: String
            let kinds: [String]
            let formerNames: [String]
            let isHidden: Bool
        }

        struct Index: Encodable {
            let attributes: [String]
            let isUnique: Bool
            let ignoresCase: Bool
        }

        struct Relationship: Encodable {
            let name: String
            let type: String
            let isToMany: Bool
            let isOrdered: Bool
            let minimum: Int
            let maximum: Int?
            let deleteRule: String
            let inverse: String?
            let formerNames: [String]
        }

        let name: String
        let formerNames: [String]
        /// `nil` if it cannot be read.
        let count: Int?
        let damage: String?
        /// Whether its items are links between items of other types.
        let isLinks: Bool
        let attributes: [Attribute]
        let indexes: [Index]
        let relationships: [Relationship]
    }

    func summary(allowsChanges: Bool) -> Summary {
        Summary(
            name: name, isReadOnly: store.capabilities.isReadOnly,
            isLive: store.capabilities.changeStreams != .none,
            hasRawEntries: rawStore != nil,
            isChangeable: allowsChanges && !store.capabilities.isReadOnly)
    }

    func types() async throws -> [TypeSummary] {
        try await read { db in
            let links = try db.linkTypeKeys()
            return try db.schemas().map { schema in
                try summary(schema, isLinks: links.contains(schema.itemTypeKey), db)
            }
        }
    }

    private func summary(
        _ schema: ItemSchema, isLinks: Bool, _ db: borrowing DataStoreReader
    ) throws -> TypeSummary {
        let type = schema.itemTypeKey
        var (count, damage): (Int?, String?) = (nil, nil)
        do throws(DataStoreError) {
            count = try db.count(DataStoreRequest(itemTypeKey: type))
        } catch {
            // One damaged type must not hide the others.
            guard error.code == .corrupted else { throw error }
            damage = error.message
        }
        return TypeSummary(
            name: type, formerNames: schema.formerTypeKeys, count: count, damage: damage,
            isLinks: isLinks,
            attributes: schema.attributes.map { attribute in
                .init(
                    name: attribute.name,
                    written: DataStorePredicate.AttributePath([attribute.name]).description,
                    kinds: attribute.storedKinds.sorted { $0.rawValue < $1.rawValue }.map {
                        "\($0)"
                    }, formerNames: attribute.formerNames,
                    isHidden: redaction.hides(attribute.name, of: type))
            },
            indexes: schema.indexes.map {
                .init(
                    attributes: $0.attributes, isUnique: $0.isUnique, ignoresCase: $0.ignoresCase)
            },
            // Only one side may have declared that they are inverses.
            relationships: try db.relations(ofType: type).map { relation in
                let one = relation.schema
                return .init(
                    name: one.name, type: one.destination, isToMany: one.isToMany,
                    isOrdered: one.isOrdered, minimum: one.minimum, maximum: one.maximum,
                    deleteRule: one.deleteRule.rawValue, inverse: relation.inverse?.name,
                    formerNames: one.formerNames)
            })
    }
}
