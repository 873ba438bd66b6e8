/// The operations that a read block can perform on its store.
///
/// A write block can do all of this and more, see ``DataStoreReadWriteAccessor``. The requirements are the
/// primitives that a wrapper implements; most are named `perform…`. Programs use the methods in the extensions:
/// `items`, `first`, `count`, `forEach`, `item`. An accessor is valid only inside its block and on the thread of
/// its block. The compiler prevents you from copying or storing it.
///
/// Every primitive throws ``DataStoreError``, never traps, and does not report errors. The non-throwing forms in
/// the extensions report them, through ``report(_:)``.
public protocol DataStoreReadAccessor: ~Copyable {
    /// The items of the request, in its order, sliced by its offset and limit.
    ///
    /// In a read block the items are frozen, in a write block live. An unknown type has no items.
    func performFetch(_ request: DataStoreRequest) throws(DataStoreError) -> [any DataStoreItem]

    /// The number of items that ``performFetch(_:)`` would return.
    func performCount(_ request: DataStoreRequest) throws(DataStoreError) -> Int

    /// The item of a type with that id, `nil` if there is none.
    func performFetchItem(
        _ type: ItemType, id: ItemID
    ) throws(DataStoreError) -> (any DataStoreItem)?

    /// Calls `body` with each item that ``performFetch(_:)`` would return, without loading all of them at once.
    ///
    /// `body` may run other queries with this accessor, but must not write with it. If `body` throws, the iteration
    /// ends with that error. The default implementation fetches all items first.
    func performForEach(
        _ request: DataStoreRequest, _ body: (any DataStoreItem) throws -> Void
    ) throws

    /// Calls `body` with each item that ``performFetch(_:)`` would return, in one pass that keeps none of them.
    ///
    /// `body` copies values and does not use the accessor. The default implementation fetches all items first.
    func performScan(
        _ request: DataStoreRequest, _ body: (any DataStoreItem) -> Void
    ) throws(DataStoreError)

    /// Computes an aggregation of the items that the request's predicate selects: a row for each group.
    ///
    /// The request's sort, offset and limit apply to the rows; see ``DataStoreAggregation``. The default
    /// implementation visits the items with ``performForEach(_:_:)``.
    func performAggregate(
        _ request: DataStoreRequest, _ aggregation: DataStoreAggregation
    ) throws(DataStoreError) -> [DataStoreRow]

    /// Executes an operation, and describes how. The default returns an unknown access.
    func performExplain(
        _ operation: QueryPlan.Operation, _ request: DataStoreRequest
    ) throws(DataStoreError) -> QueryPlan

    /// The position in the store's history of the state that the block reads, without the block's own changes.
    ///
    /// An observation with this token reports every commit after that state. The default refuses, with
    /// ``DataStoreError/Code/unsupported``.
    func performChangeToken() throws(DataStoreError) -> ChangeToken

    /// The schemas of all types in the store, sorted by key, with the attributes that the store knows.
    func schemas() throws(DataStoreError) -> [ItemSchema]

    /// The schemas of the types that have relationships. The default looks at ``schemas()``.
    func schemasWithRelationships() throws(DataStoreError) -> [ItemSchema]

    /// Whether the store has recorded everything that a class declares, and has no values that do not fit it.
    ///
    /// Then declaring the class changes nothing, and a plan with the class is applied without a write block. The default
    /// returns false.
    func isDeclared(_ type: ItemType) throws(DataStoreError) -> Bool

    /// Passes an error to the store's error handler.
    func report(_ error: DataStoreError)
}

extension DataStoreReadAccessor where Self: ~Copyable {
    /// Fetches all items, and calls `body` with each.
    public func performForEach(
        _ request: DataStoreRequest, _ body: (any DataStoreItem) throws -> Void
    ) throws {
        for item in try performFetch(request) { try body(item) }
    }

    /// Fetches all items, and calls `body` with each.
    public func performScan(
        _ request: DataStoreRequest, _ body: (any DataStoreItem) -> Void
    ) throws(DataStoreError) {
        for item in try performFetch(request) { body(item) }
    }

    /// Looks at all schemas.
    public func schemasWithRelationships() throws(DataStoreError) -> [ItemSchema] {
        try schemas().filter { !$0.relationships.isEmpty }
    }

    /// Returns false: the store may lack a declaration.
    public func isDeclared(_ type: ItemType) throws(DataStoreError) -> Bool { false }

    /// Executes the operation, and does not report how.
    public func performExplain(
        _ operation: QueryPlan.Operation, _ request: DataStoreRequest
    ) throws(DataStoreError) -> QueryPlan {
        let matched =
            switch operation {
            case .fetch, .count: try performCount(request)
            case .exists: try performCount(request.first())
            case .aggregate(let aggregation): try performAggregate(request, aggregation).count
            }
        return QueryPlan(
            access: .unknown, matched: matched,
            evaluatedByFoundation: request.predicate?.evaluations.count ?? 0)
    }

    /// Runs a throwing form; on failure, reports the error and returns a fallback value.
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

/// The accessor of a read block, which cannot be copied or stored.
///
/// To use it in a function of your own, pass it as a `borrowing` parameter:
///
/// ```swift
/// func best(in db: borrowing DataStoreReader) throws -> [String] {
///     try db.items(Restaurant.self, where: \.stars > 3).map(\.name)
/// }
/// let names = try store.read { db in try best(in: db) }
/// ```
///
/// If the function should also work in write blocks, declare `borrowing some DataStoreReadAccessor & ~Copyable`.
public typealias DataStoreReader = any DataStoreReadAccessor & ~Copyable
