import JustPersist
import JustPersistRecords

/// Copies the declarations of one store to another.
struct SchemaCopy {
    let source: any DataStore
    let target: any DataStore

    /// Declares types in the target.
    ///
    /// A new index belongs to its class if it does in the source, and both stores keep this distinction.
    func declare(_ schemas: [ItemSchema]) throws {
        let schemas = schemas.map(\.withFittingDefaults)
        guard let source = source as? any RecordCopying, let target = target as? any RecordCopying
        else {
            return try target.performWrite { db in
                for schema in schemas { try db.declare(schema) }
            }
        }
        var byHand: [String: Set<IndexSchema>] = [:]
        try source.readRecords { records in
            for schema in schemas {
                byHand[schema.itemTypeKey] = records.indexesByHand(ofType: schema.itemTypeKey)
            }
        }
        try target.writeRecords { [byHand] intake in
            for schema in schemas {
                try intake.declare(schema, indexesByHand: byHand[schema.itemTypeKey] ?? [])
            }
        }
    }
}

extension ItemSchema {
    /// The schema without defaults of kinds that a later declaration has replaced, which no store accepts.
    ///
    /// The copied items have such a default as a value.
    var withFittingDefaults: ItemSchema {
        let fits = { (attribute: AttributeSchema) in
            attribute.kinds.isEmpty
                || attribute.defaultValue?.exactly(asOneOf: attribute.kinds) != nil
        }
        if attributes.allSatisfy({ $0.defaultValue == nil || fits($0) }) { return self }
        return ItemSchema(
            itemTypeKey, formerTypeKeys: formerTypeKeys,
            attributes: attributes.map { attribute in
                AttributeSchema(
                    attribute.name, kinds: attribute.kinds,
                    default: fits(attribute) ? attribute.defaultValue : nil,
                    isOptional: attribute.isOptional, formerNames: attribute.formerNames)
            }, indexes: indexes, relationships: relationships)
    }
}
