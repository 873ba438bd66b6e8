/// A relationship together with its inverse, and the way in which a store keeps it.
package struct Relation {
    /// The way in which a store keeps a relationship.
    package enum Storage {
        /// As a reference in an attribute of the item itself.
        case reference
        /// As references in an attribute of the others.
        case inverse(attribute: String)
        /// As an item of a type of its own for each pair of items.
        case links(LinkType, isSource: Bool)
    }

    /// The key of the type that declares the relationship.
    package let owner: String
    package let schema: RelationshipSchema
    /// The declaration of the other side, if it has one.
    package let inverse: RelationshipSchema?
    package let storage: Storage
    /// The order of the others where ``storage`` does not have it.
    package let order: LinkType?

    /// - Parameters:
    ///   - other: The schema of the destination; `nil` if the store does not know it yet.
    ///   - isWhole: Whether `other` is the present declaration, so that a missing inverse or one that does not agree is
    ///     an error. What a store knows may be of an earlier release.
    package init(
        _ schema: RelationshipSchema, of owner: String, to other: ItemSchema?, isWhole: Bool = true
    ) throws(DataStoreError) {
        self.owner = owner
        self.schema = schema
        let related = other?.relationships ?? []
        if let name = schema.inverse {
            let found = related.first { $0.name == name }
            let agrees =
                found.map { $0.destination == owner && $0.inverse ?? schema.name == schema.name }
                ?? false
            if !agrees, other != nil, isWhole { throw .disagreement(schema, of: owner, found) }
            inverse = agrees ? found : nil
        } else {
            inverse = related.first { $0.destination == owner && $0.inverse == schema.name }
        }
        guard schema.isToMany else {
            (storage, order) = (.reference, nil)
            return
        }
        let links = LinkType.make(schema, of: owner, inverse)
        if let inverse, !inverse.isToMany {
            storage = .inverse(attribute: inverse.name)
            order =
                schema.isOrdered
                ? LinkType(key: "\(owner).\(schema.name)", isOrdered: (true, false)) : nil
        } else {
            storage = .links(links.type, isSource: links.isSource)
            order = nil
        }
    }

    /// The order of another relationship, as links.
    init(_ order: LinkType, _ isSource: Bool = true, of relation: Relation) {
        owner = relation.owner
        schema = relation.schema
        inverse = nil
        storage = .links(order, isSource: isSource)
        self.order = nil
    }

    /// Whether an item is related to itself through this relationship if another is related to it.
    package var isSymmetric: Bool {
        schema.isToMany && schema.destination == owner && inverse?.name == schema.name
    }
}

/// The type of the links of a relationship between many items and many.
///
/// A link is an item of the store as others are: transactions, child stores, copies, verification and salvage need to know
/// nothing about it. Its id follows from the ids of its ends, so there is one at most for each pair.
package struct LinkType {
    package let key: String
    /// The attributes with the positions of the target among the source's others, and the reverse; `nil` if the order is
    /// that of creation.
    let isOrdered: (fromSource: Bool, fromTarget: Bool)

    static let source = "source"
    static let target = "target"
    static let position = "position"
    static let inversePosition = "inversePosition"

    /// The links of a relationship, and whether its owner is their source.
    fileprivate static func make(
        _ schema: RelationshipSchema, of owner: String, _ inverse: RelationshipSchema?
    ) -> (type: LinkType, isSource: Bool) {
        let own = "\(owner).\(schema.name)"
        guard let inverse else {
            return (LinkType(key: own, isOrdered: (schema.isOrdered, false)), true)
        }
        let other = "\(schema.destination).\(inverse.name)"
        if own == other { return (LinkType(key: own, isOrdered: (schema.isOrdered, false)), true) }
        return own < other
            ? (
                LinkType(key: "\(own)~\(other)", isOrdered: (schema.isOrdered, inverse.isOrdered)),
                true
            )
            : (
                LinkType(key: "\(other)~\(own)", isOrdered: (inverse.isOrdered, schema.isOrdered)),
                false
            )
    }

    /// The names of the attributes with the near end, the far end and the position, seen from one end.
    package func names(isSource: Bool) -> (near: String, far: String, position: String?) {
        isSource
            ? (Self.source, Self.target, isOrdered.fromSource ? Self.position : nil)
            : (Self.target, Self.source, isOrdered.fromTarget ? Self.inversePosition : nil)
    }

    /// The declaration of the type.
    var schema: ItemSchema {
        var attributes = [Self.source, Self.target].map { AttributeSchema($0, kinds: [.reference]) }
        if isOrdered.fromSource { attributes.append(AttributeSchema(Self.position, kinds: [.int])) }
        if isOrdered.fromTarget {
            attributes.append(AttributeSchema(Self.inversePosition, kinds: [.int]))
        }
        let indexes = [true, false].map { isSource in
            let names = names(isSource: isSource)
            return IndexSchema([names.near, names.position ?? names.far])
        }
        return ItemSchema(key, attributes: attributes, indexes: indexes)
    }

    /// The id of the link between two items.
    ///
    /// Links of one source have ids near each other, in a store that orders items by their ids.
    static func id(from source: ItemID, to target: ItemID) -> ItemID {
        var hash: UInt64 = 0x9E37_79B9_7F4A_7C15
        for word in [source.low, target.high, target.low] {
            let product = (hash ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
            hash = product.high ^ product.low ^ (hash << 1 | hash >> 63)
        }
        return ItemID(high: source.high, low: hash)
    }
}

extension DataStoreError {
    fileprivate static func disagreement(
        _ schema: RelationshipSchema, of owner: String, _ inverse: RelationshipSchema?
    ) -> DataStoreError {
        let name = "“\(schema.inverse ?? "")” of “\(schema.destination)”"
        let reason =
            if let inverse {
                inverse.destination == owner
                    ? "which names “\(inverse.inverse ?? "")” as its own inverse"
                    : "which leads to “\(inverse.destination)”"
            } else {
                "which does not exist"
            }
        return DataStoreError(
            .conflictingRelationships, in: "declare",
            """
            “\(schema.name)” of “\(owner)” names \(name) as its inverse, \(reason). Correct one of them; one side is enough.
            """, itemType: owner, attribute: schema.name)
    }
}

extension DataStoreError {
    /// The refusal to follow a relationship after the end of the item's block.
    package static func relationshipNotLoaded(_ itemType: String) -> DataStoreError {
        DataStoreError(
            .relationshipNotLoaded, in: "relationship",
            """
            The block of an item of “\(itemType)” has ended, so its relationships cannot be followed any more. Follow them in \
            the block, or return the values that are needed.
            """, itemType: itemType)
    }

    /// The refusal of relationships by a store without them, or of an item in no store.
    static func noRelationships(_ itemType: String) -> DataStoreError {
        DataStoreError(
            .unsupported, in: "relationship",
            """
            An item of “\(itemType)” is in no store, or in one that keeps no relationships. Insert it first, into a store \
            whose capabilities have hasRelationships.
            """, itemType: itemType)
    }
}
