/// A change of a type or of an attribute in a store's catalog: see
/// ``DataStoreReadWriteAccessor/performSchemaChange(_:)``.
///
/// Programs use the calls by name, such as `dropAttribute(_:of:)`. Types and attributes are identified by their present or
/// former names, and those that are dropped by their present ones.
public enum SchemaOperation: Sendable {
    /// Declares a class as its first use in a write block does.
    ///
    /// Refused with ``DataStoreError/Code/schemaMismatch`` if stored values do not fit the class.
    case declare(ItemType)
    /// Gives an attribute of a type another name, and keeps the present one as a former name.
    ///
    /// If another attribute has that name, the two become one: the one with values, or else the renamed one. If both have
    /// values, this is refused with ``DataStoreError/Code/conflictingAttributes``.
    case renameAttribute(String, to: String, of: String)
    /// Removes an attribute of a type permanently, with the indexes over it.
    ///
    /// Its values are never read again. An attribute that is declared under that name later has no values.
    case dropAttribute(String, of: String)
    /// Forgets the declaration of a relationship of a type. Its attribute, if it has one, keeps its values.
    case dropRelationship(String, of: String)
    /// Removes a type permanently, with all its items.
    case dropType(String)
    /// Replaces the recorded default of an attribute of a type, on which no item depends any more.
    ///
    /// A store that cannot do it keeps the recorded default, and returns false.
    case setDefault(DataStoreValue?, ofAttribute: String, of: String)
}

extension DataStoreReadWriteAccessor where Self: ~Copyable {
    /// Carries out an operation by declaring something, if that is possible.
    func declareInstead(of operation: SchemaOperation) throws(DataStoreError) -> Bool {
        switch operation {
        case .declare(let type):
            if let schema = type.schema { try declare(schema) }
            return true
        case .renameAttribute(let name, let newName, let itemTypeKey):
            guard let type = try schemas().schema(ofType: itemTypeKey),
                let known = type.attributes.first(where: { $0.name == name })
            else { return false }
            try declare(
                ItemSchema(
                    type.itemTypeKey,
                    attributes: [
                        AttributeSchema(
                            newName, kinds: known.kinds, default: known.defaultValue,
                            isOptional: known.isOptional, originalName: name)
                    ]))
            return true
        case .setDefault: return false
        case .dropAttribute(_, let type), .dropRelationship(_, let type), .dropType(let type):
            throw DataStoreError(
                .unsupported, in: "schemaChange",
                "This store removes no types and attributes; see DataStoreCapabilities.evolvesSchema.",
                itemType: type)
        }
    }
}
