/// The throwing calls for requests, whose items may be of any type.
extension DataStoreReadAccessor where Self: ~Copyable {
    /// The items of the request, in its order, sliced by its offset and limit.
    @inlinable
    public func items(
        _ request: DataStoreRequest
    ) throws(DataStoreError) -> [any DataStoreItem] {
        try performFetch(request)
    }

    /// The first item of the request; `nil` if there is none.
    public func first(_ request: DataStoreRequest) throws(DataStoreError) -> (any DataStoreItem)? {
        try performFetch(request.first()).first
    }

    /// The number of items that ``items(_:)`` would return.
    ///
    /// Without a predicate this is one lookup, independent of the number of items.
    @inlinable
    public func count(_ request: DataStoreRequest) throws(DataStoreError) -> Int {
        try performCount(request)
    }

    /// Executes the request, and describes how: which index was used, and how many records were read.
    ///
    /// Costs as much as the request itself.
    public func explain(_ request: DataStoreRequest) throws(DataStoreError) -> QueryPlan {
        try performExplain(.fetch, request)
    }

    /// Executes an operation on a request's items, and describes how.
    ///
    /// Costs as much as the operation itself.
    public func explain(
        _ operation: QueryPlan.Operation, _ request: DataStoreRequest
    ) throws(DataStoreError) -> QueryPlan {
        try performExplain(operation, request)
    }

    /// Calls `body` with each item that ``items(_:)`` would return, without loading all of them at once.
    ///
    /// `body` may run other queries with this accessor, but must not write with it. If `body` throws, the iteration
    /// ends, and this throws the same error.
    @inlinable
    public func forEach(
        _ request: DataStoreRequest, _ body: (any DataStoreItem) throws -> Void
    ) throws {
        try performForEach(request, body)
    }
}
