import JustPersist

/// A type as one block uses it: the Swift class's attributes tied to the ids that the store gave them.
///
/// Belongs to its block, and does not change after it.
final class BlockType {
    let itemType: ItemType
    /// The item class, if its items can be changed.
    let mutableClass: (any MutableDataStoreItem.Type)?
    let context: StoreContext
    /// What the store knows of the type; `nil` if it has never seen it.
    private(set) var stored: CatalogType?
    /// Why the store cannot tell whether it knows the type.
    private let damage: DataStoreError?
    /// The items made less those deleted in this block.
    var countChange = 0

    /// The attribute ids by index in the class's schema; ``unbound`` for one that the store does not know.
    private var ids: [UInt16] = []
    private static let unbound = UInt16.max

    init(
        _ itemType: ItemType, stored: CatalogType?, damage: DataStoreError? = nil,
        context: StoreContext
    ) {
        self.itemType = itemType
        self.damage = damage
        mutableClass = itemType.itemClass as? any MutableDataStoreItem.Type
        self.context = context
        bind(to: stored)
    }

    /// The type's number in keys; `nil` if the store has never seen the type.
    ///
    /// An error if that cannot be told because the store's catalog is damaged.
    func number() throws(DataStoreError) -> UInt32? {
        if let damage { throw damage }
        return stored?.number
    }

    /// Ties the type to what the store knows of it now.
    func bind(to stored: CatalogType?) {
        self.stored = stored
        ids = (itemType.schema?.attributes ?? []).map { attribute in
            stored?.id(ofAttribute: attribute.name)
                ?? attribute.originalName.flatMap { stored?.id(ofAttribute: $0) } ?? Self.unbound
        }
        isComplete =
            itemType.schema?.attributes.allSatisfy { stored?.id(ofAttribute: $0.name) != nil }
            ?? (stored != nil)
    }

    /// Whether the store knows all attributes of the class, and under their own names.
    private(set) var isComplete = false

    /// The number of attributes that an item of the class can have.
    var attributeCount: Int { ids.count }

    /// The id of the attribute at an index of the class's schema; `nil` if it has no values yet.
    @inline(__always)
    func id(at index: Int) -> UInt16? {
        guard index >= 0, index < ids.count, ids[index] != Self.unbound else { return nil }
        return ids[index]
    }

    /// The id of the named attribute; `nil` if it is declared and has no values yet.
    ///
    /// An undeclared name is an error.
    func id(ofAttribute name: String, in operation: String) throws(DataStoreError) -> UInt16? {
        if let schema = itemType.schema {
            guard let index = schema.index(ofAttribute: name) else {
                throw .unknownAttribute(name, ofType: itemType.key, in: operation)
            }
            return id(at: index)
        }
        guard let id = stored?.id(ofAttribute: name) else {
            throw .unknownAttribute(name, ofType: itemType.key, in: operation)
        }
        return id
    }

    /// The id under which a predicate or a sort finds the named attribute; `nil` where it can only be null.
    func idForQuery(ofAttribute name: String) -> UInt16? {
        if let index = itemType.schema?.index(ofAttribute: name) { return id(at: index) }
        return stored?.id(ofAttribute: name)
    }

    /// The attributes of the class, or for a type without one those that the store knows.
    var attributeNames: [String] {
        itemType.schema?.attributes.map(\.name) ?? stored?.attributes.map(\.name) ?? []
    }

    /// A damaged record of this type.
    func corrupted(_ id: ItemID, attribute: String? = nil) -> DataStoreError {
        DataStoreError(
            .corrupted, in: "read",
            """
            The record of the “\(itemType.key)” \(id) is damaged: its checksum or its layout is wrong. \
            Other items are not concerned. Restore it from a backup, or delete the item.
            """, itemType: itemType.key, attribute: attribute)
    }
}
