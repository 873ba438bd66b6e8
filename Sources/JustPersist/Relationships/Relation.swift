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

    /// The key that the type that declares the relationship has in the store.
    package let owner: String
    /// The key that the type of the others has in the store.
    package let destination: String
    package let schema: RelationshipSchema
    /// The declaration of the other side, if it has one.
    package let inverse: RelationshipSchema?
    package private(set) var storage = Storage.reference
    /// The order of the others where ``storage`` does not have it.
    package private(set) var order: LinkType?

    /// A relationship with its inverse, which a store keeps with these links.
    init(
        _ schema: RelationshipSchema, of owner: String, to destination: String,
        inverse: RelationshipSchema?
    ) {
        self.owner = owner
        self.destination = destination
        self.schema = schema
        self.inverse = inverse
        order = nil
        guard schema.isToMany else {
            storage = .reference
            return
        }
        let links = schema.links ?? .init(typeKey: "\(owner).\(schema.name)", isSource: true)
        if let inverse, !inverse.isToMany {
            storage = .inverse(attribute: inverse.name)
            if schema.isOrdered { order = LinkType(key: links.typeKey, isOrdered: (true, false)) }
            return
        }
        let orders = (schema.isOrdered, inverse?.isOrdered == true && !isSymmetric)
        storage = .links(
            LinkType(key: links.typeKey, isOrdered: links.isSource ? orders : (orders.1, orders.0)),
            isSource: links.isSource)
    }

    /// The other side, if it is declared.
    package var reversed: Relation? {
        inverse.map { Relation($0, of: destination, to: owner, inverse: schema) }
    }

    /// The order of another relationship, as links.
    init(_ order: LinkType, _ isSource: Bool = true, of relation: Relation) {
        owner = relation.owner
        destination = relation.destination
        schema = relation.schema
        inverse = nil
        storage = .links(order, isSource: isSource)
        self.order = nil
    }

    /// Whether an item may refer to others that were deleted; see ``RelationshipSchema/leavesReferences``.
    package var mayDangle: Bool {
        if case .inverse = storage { return false }
        return inverse?.leavesReferences == true
    }

    /// The links that have the order of the others, as a relationship of its own; `nil` if there is no order.
    var ordering: Relation? {
        if !schema.isOrdered { return nil }
        if case .links(let type, let isSource) = storage {
            return Relation(type, isSource, of: self)
        }
        return order.map { Relation($0, of: self) }
    }

    /// Whether an item has one other at most, and that one it.
    package var isPair: Bool { !schema.isToMany && inverse?.isToMany == false }

    /// The ends of the link between an item that has the relationship and another one.
    func ends(
        _ own: ItemReference, _ other: ItemReference
    ) -> (source: ItemReference, target: ItemReference) {
        if case .links(_, isSource: false) = storage { (other, own) } else { (own, other) }
    }

    /// The type of the others.
    package var others: ItemType { schema.others }

    /// Whether an item is related to itself through this relationship if another is related to it.
    package var isSymmetric: Bool {
        schema.isToMany && destination == owner && inverse?.name == schema.name
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

    package static let source = "source"
    package static let target = "target"
    static let position = "position"
    static let inversePosition = "inversePosition"

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
    package static func id(from source: ItemID, to target: ItemID) -> ItemID {
        var hash: UInt64 = 0x9E37_79B9_7F4A_7C15
        for word in [source.low, target.high, target.low] {
            let product = (hash ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
            hash = product.high ^ product.low ^ (hash << 1 | hash >> 63)
        }
        return ItemID(high: source.high, low: hash)
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

extension ItemBacking {
    /// The reference in an attribute; `nil` if there is another value or none.
    func reference(in attribute: String) throws(DataStoreError) -> ItemReference? {
        guard case .reference(let reference) = try value(forAttribute: attribute) else {
            return nil
        }
        return reference
    }
}
