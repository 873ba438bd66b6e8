/// What a read block, and with more to it a write block, can ask of its store.
///
/// The requirements are the primitives that a wrapper implements, `perform…` by name; the calls of daily use
/// are written once, in extensions: `items`, `first`, `count`, `forEach`, `item`. An accessor is valid only inside its block and on its thread: it cannot be copied or
/// stored, and the compiler sees to that.
///
/// Every primitive throws ``DataStoreError``, never traps, and reports nothing itself: the
/// non-throwing forms in the extensions do, through ``report(_:)``.
public protocol DataStoreReadAccessor: ~Copyable {
    /// The items that the request asks for, in its order, sliced by its offset and limit.
    ///
    /// In a read block the items are frozen, in a write block live. An unknown type has no items.
    func performFetch(_ request: DataStoreRequest) throws(DataStoreError) -> [any DataStoreItem]

    /// How many items ``performFetch(_:)`` would give.
    func performCount(_ request: DataStoreRequest) throws(DataStoreError) -> Int

    /// The item of a type with that id, `nil` if there is none.
    func performFetchItem(
        _ type: ItemType, id: ItemID
    ) throws(DataStoreError) -> (any DataStoreItem)?

    /// Calls `body` with each item that ``performFetch(_:)`` would give, holding no more of them than it must.
    ///
    /// `body` may ask this accessor for more, but not write through it. What it throws ends the walk. By
    /// default all are fetched first.
    func performForEach(
        _ request: DataStoreRequest, _ body: (any DataStoreItem) throws -> Void
    ) throws

    /// The types that the store holds, sorted by key, with the attributes they have had values for.
    func schemas() throws(DataStoreError) -> [ItemSchema]

    /// Hands an error to the store's error handler.
    func report(_ error: DataStoreError)
}

extension DataStoreReadAccessor where Self: ~Copyable {
    /// Fetches all items, and calls `body` with each.
    public func performForEach(
        _ request: DataStoreRequest, _ body: (any DataStoreItem) throws -> Void
    ) throws {
        for item in try performFetch(request) { try body(item) }
    }

    /// Runs a throwing form, and on failure reports the error and gives a value in its place.
    func reporting<Result>(
        or fallback: Result, _ body: () throws(DataStoreError) -> Result
    ) -> Result {
        do throws(DataStoreError) {
            return try body()
        } catch {
            report(error)
            return fallback
        }
    }
}

/// What a read block is given: an accessor that cannot be copied or kept.
///
/// A function that helps a read block takes it as a parameter, always with `borrowing`:
///
/// ```swift
/// func best(in db: borrowing DataStoreReader) throws -> [String] {
///     try db.items(Restaurant.self, where: \.stars > 3).map(\.name)
/// }
/// let names = try store.read { db in try best(in: db) }
/// ```
///
/// One that helps write blocks too takes `borrowing some DataStoreReadAccessor & ~Copyable`.
public typealias DataStoreReader = any DataStoreReadAccessor & ~Copyable
