/// The operations of a write block: those of a read block, and changes to its store.
///
/// As with ``DataStoreReadAccessor`` the requirements are the primitives that a wrapper implements, and programs use
/// the calls in the extensions: `create`, `insert`, `delete`, `deleteAll`, `mutableVersion`. Queries see the block's
/// own changes.
public protocol DataStoreReadWriteAccessor: DataStoreReadAccessor, ~Copyable {
    /// Makes a new item of a type, with a new id and no values.
    ///
    /// A type that has no schema must be known to the store (``declare(_:)``).
    func performCreate(_ type: ItemType) throws(DataStoreError) -> any MutableDataStoreItem

    /// Makes a new item of a type, with an id and without values; `nil` if the store has an item of the type with that
    /// id.
    ///
    /// The default inserts an item that it has made outside of the store.
    func performCreate(
        _ type: ItemType, id: ItemID
    ) throws(DataStoreError) -> (any MutableDataStoreItem)?

    /// Inserts an item that belongs to no store yet, under its own id, and makes it live.
    ///
    /// If the store already contains an item with this id, that item does not change, and nothing is duplicated.
    /// Returns whether the item was new.
    func performInsert(_ item: any MutableDataStoreItem) throws(DataStoreError) -> Bool

    /// Deletes an item, and returns whether it existed.
    func performDelete(_ item: any DataStoreItem) throws(DataStoreError) -> Bool

    /// Deletes all items of the types, or none. Types that the store does not know have no items.
    func performDeleteAll(_ types: [ItemType]) throws(DataStoreError)

    /// This block's live object for an item of any block of the store; `nil` if the item was deleted.
    func performMutableVersion(
        of item: any DataStoreItem
    ) throws(DataStoreError) -> (any MutableDataStoreItem)?

    /// Adds a type, its attributes and its indexes to the store's catalog, or adds attributes and indexes to a type
    /// that it contains.
    ///
    /// You need this only for types without an item class, and for indexes in addition to those of the class, which
    /// stay until they are dropped. Classes are declared automatically, and indexes that they no longer declare are
    /// dropped.
    func declare(_ schema: ItemSchema) throws(DataStoreError)

    /// Drops an index of a type, and returns whether it existed.
    ///
    /// An index that the item class declares is written again with the next write through the class. The default
    /// refuses, with ``DataStoreError/Code/unsupported``.
    func dropIndex(
        _ index: IndexSchema, ofType itemTypeKey: String
    ) throws(DataStoreError) -> Bool

    /// Changes a type or an attribute of the store's catalog, and returns whether it existed.
    ///
    /// The default declares what can be declared, and refuses the rest with ``DataStoreError/Code/unsupported``.
    func performSchemaChange(_ operation: SchemaOperation) throws(DataStoreError) -> Bool

    /// The relationships that the block has changed; `nil`, and by default, if the store keeps none.
    var links: BlockLinks? { get }
}

extension DataStoreReadWriteAccessor where Self: ~Copyable {
    /// Makes an item outside of the store, and inserts it.
    public func performCreate(
        _ type: ItemType, id: ItemID
    ) throws(DataStoreError) -> (any MutableDataStoreItem)? {
        guard let itemClass = type.itemClass as? any MutableDataStoreItem.Type else {
            throw .readOnlyClass(.couldNotCreateItemOfType, type.key, in: "create")
        }
        let item = itemClass.init(
            backing: DictionaryBacking(itemTypeKey: type.key, schema: type.schema, id: id))
        return try performInsert(item) ? item : nil
    }

    /// None.
    public var links: BlockLinks? { nil }

    /// Declares what can be declared, and refuses the rest.
    public func performSchemaChange(
        _ operation: SchemaOperation
    ) throws(DataStoreError) -> Bool {
        try declareInstead(of: operation)
    }

    /// Refuses to drop an index.
    public func dropIndex(
        _ index: IndexSchema, ofType itemTypeKey: String
    ) throws(DataStoreError) -> Bool {
        throw DataStoreError(
            .unsupported, in: "dropIndex", "This store keeps no indexes that could be dropped.",
            itemType: itemTypeKey)
    }
}

/// The accessor of a write block, which cannot be copied or stored.
///
/// To use it in a function of your own, pass it as a `borrowing` parameter:
///
/// ```swift
/// func open(_ name: String, in db: borrowing DataStoreWriter) throws {
///     try db.create(Restaurant.self).name = name
/// }
/// try store.write { db in try open("Thai Garden", in: db) }
/// ```
public typealias DataStoreWriter = any DataStoreReadWriteAccessor & ~Copyable
