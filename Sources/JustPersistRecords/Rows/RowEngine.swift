public import JustPersist

/// A framework that stores items as rows of values; wrappers of SQLite, Core Data or Realm conform to it.
///
/// A ``RecordStore`` over it is a complete data store. The record layer manages the items of a block, their changes,
/// the declared types and their renames, limits, predicates, sorting and paging. The framework stores rows.
///
/// ```swift
/// public typealias RealmDataStore = RecordStore<RealmEngine>
/// ```
///
/// A row is one item: the number of its type, its id, and its values by the numbers of the attributes. Types and
/// attributes are identified by numbers, so renaming one changes no row. The names are in the ``RowReader/catalog()``,
/// which the framework stores as opaque bytes.
///
/// Opening, closing and deleting files work as for any ``KeyValueEngine``, under the same rules for blocks. That
/// protocol's `read` and `write` accept the record layer's own keys only.
public protocol RowEngine: KeyValueEngine {
    /// Runs `body` on one snapshot of the committed rows, taken before it starts.
    ///
    /// Never waits for a writer. May be called inside a block of either kind on the same thread, and then sees the
    /// committed state.
    func readRows(_ body: (any RowReader) throws -> Void) throws

    /// Runs `body` in a transaction, and commits it if `body` returns.
    ///
    /// When this returns, all changes are visible to later blocks and durable as
    /// ``KeyValueEngineTraits/durability`` says. When `body` or the commit throws, nothing has changed.
    func writeRows(_ body: (any RowWriter) throws -> Void) throws
}

/// One snapshot of a framework's rows.
///
/// Valid until its block returns, on the thread of the block.
public protocol RowReader: AnyObject {
    /// The bytes last passed to ``RowWriter/setCatalog(_:)``; `nil` in a new store.
    func catalog() throws(DataStoreError) -> [UInt8]?

    /// The numbers of the types that have rows, in any order.
    ///
    /// Called when the store is opened or verified, not by queries.
    func types() throws(DataStoreError) -> [Int]

    /// The row of an item; `nil` if there is none.
    func row(_ id: ItemID, ofType type: Int) throws(DataStoreError) -> ItemRow?

    /// Calls `body` with each row of a type whose id is in `ids`, by ascending id, or by descending id if `reversed`.
    ///
    /// Ids are ordered as their 16 bytes. `body` may read from this reader but not write. An error of `body` ends the
    /// scan and is rethrown.
    func scan(
        _ ids: ClosedRange<ItemID>, ofType type: Int, reversed: Bool,
        _ body: (ItemRow) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError)
}

/// One open transaction of a framework.
///
/// Reads through it see what it has written.
public protocol RowWriter: RowReader {
    /// Stores the catalog: the record layer's data about the store's types, and the number of items of each.
    ///
    /// It is written in each transaction that changes anything, and grows with the number of types, not of items.
    func setCatalog(_ bytes: [UInt8]) throws(DataStoreError)

    /// Stores a row, replacing the row with its id. The row has values.
    func put(_ row: ItemRow, ofType type: Int) throws(DataStoreError)

    /// Deletes the row of an item, and returns whether there was one.
    func delete(_ id: ItemID, ofType type: Int) throws(DataStoreError) -> Bool

    /// Deletes all rows of a type, and returns their number.
    func deleteAll(ofType type: Int) throws(DataStoreError) -> Int
}

/// An item as a framework stores it.
public struct ItemRow: Hashable, Sendable {
    /// The item's id: unique among the rows of a type.
    public let id: ItemID

    /// The values by the numbers of their attributes; `nil` for a row that the framework cannot read.
    ///
    /// A damaged row must not hide the others: return it with `nil`, and readers of the item receive the error. An
    /// attribute that was set to null has that value; an attribute that was never set has none. The type of a reference
    /// is its number, in decimal digits.
    ///
    /// A dictionary of ``/JustPersist/DataStoreValue`` is `Codable`, for frameworks that store text or bytes.
    public let values: [Int: DataStoreValue]?

    /// A row with its values.
    public init(id: ItemID, values: [Int: DataStoreValue]?) {
        self.id = id
        self.values = values
    }
}
