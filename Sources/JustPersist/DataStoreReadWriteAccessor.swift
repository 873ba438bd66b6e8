/// What a write block can ask of its store and do to it.
///
/// As with ``DataStoreReadAccessor`` the requirements are the primitives that a wrapper implements, and the
/// calls of daily use are in the extensions: `create`, `insert`, `delete`, `deleteAll`, `mutableVersion`.
/// Queries see the block's own changes.
public protocol DataStoreReadWriteAccessor: DataStoreReadAccessor, ~Copyable {
    /// Makes a new item of a type, with a new id and no values.
    ///
    /// A type that has no schema must be known to the store (``declare(_:)``).
    func performCreate(_ type: ItemType) throws(DataStoreError) -> any MutableDataStoreItem

    /// Takes an item that is in no store yet into this one, under its id, and makes it live.
    ///
    /// An item that is in this store already, by its id, is left as it is there: nothing is duplicated or
    /// overwritten. Tells whether the item was new.
    func performInsert(_ item: any MutableDataStoreItem) throws(DataStoreError) -> Bool

    /// Deletes an item, and tells whether it was there.
    func performDelete(_ item: any DataStoreItem) throws(DataStoreError) -> Bool

    /// Deletes all items of the types, all or none. Types that the store does not know have none.
    func performDeleteAll(_ types: [ItemType]) throws(DataStoreError)

    /// The live object of this block for an item got earlier, `nil` if it was deleted.
    func performMutableVersion(
        of item: any DataStoreItem
    ) throws(DataStoreError) -> (any MutableDataStoreItem)?

    /// Makes a type and its attributes known to the store, beside those it knows of the type already.
    ///
    /// Needed only for types without an item class; the others declare themselves.
    func declare(_ schema: ItemSchema) throws(DataStoreError)
}

/// What a write block is given: an accessor that cannot be copied or kept.
///
/// A function that helps a write block takes it as a parameter, always with `borrowing`:
///
/// ```swift
/// func open(_ name: String, in db: borrowing DataStoreWriter) throws {
///     try db.create(Restaurant.self).name = name
/// }
/// try store.write { db in try open("Thai Garden", in: db) }
/// ```
public typealias DataStoreWriter = any DataStoreReadWriteAccessor & ~Copyable
