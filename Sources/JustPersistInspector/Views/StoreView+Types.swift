import JustPersist

/// What a store is, and the types in it.
extension StoreView {
    struct Summary: Encodable {
        let name: String
        let isReadOnly: Bool
        /// Whether changes can be observed.
        let isLive: Bool
        let hasRawEntries: Bool
    }

    struct TypeSummary: Encodable {
        struct Attribute: Encodable {
            let name: String
            /// The name as a predicate has it.
            let written: String
            let kinds: [String]
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
            let inverse: String?
        }

        let name: String
        /// `nil` if it cannot be read.
        let count: Int?
        let damage: String?
        /// Whether its items are links between items of other types.
        let isLinks: Bool
        let attributes: [Attribute]
        let indexes: [Index]
        let relationships: [Relationship]
    }

    var summary: Summary {
        Summary(
            name: name, isReadOnly: store.capabilities.isReadOnly,
            isLive: store.capabilities.changeStreams != .none,
            hasRawEntries: rawStore != nil)
    }

    func types() async throws -> [TypeSummary] {
        try await store.read { db in
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
            name: type, count: count, damage: damage, isLinks: isLinks,
            attributes: schema.attributes.map { attribute in
                .init(
                    name: attribute.name,
                    written: DataStorePredicate.AttributePath([attribute.name]).description,
                    kinds: attribute.storedKinds.sorted { $0.rawValue < $1.rawValue }.map {
                        "\($0)"
                    }, isHidden: redaction.hides(attribute.name, of: type))
            },
            indexes: schema.indexes.map {
                .init(
                    attributes: $0.attributes, isUnique: $0.isUnique, ignoresCase: $0.ignoresCase)
            },
            relationships: schema.relationships.map {
                .init(
                    name: $0.name, type: $0.destination, isToMany: $0.isToMany,
                    inverse: $0.inverse)
            })
    }
}
