/// The throwing calls for requests, whose items may be of any type.
extension DataStoreReadAccessor where Self: ~Copyable {
    /// The items that the request asks for, in its order, sliced by its offset and limit.
    @inlinable
    public func items(
        _ request: DataStoreRequest
    ) throws(DataStoreError) -> [any DataStoreItem] {
        try performFetch(request)
    }

    /// The first item that the request asks for; `nil` if there is none.
    public func first(_ request: DataStoreRequest) throws(DataStoreError) -> (any DataStoreItem)? {
        try performFetch(request.first()).first
    }

    /// How many items ``items(_:)`` would give.
    ///
    /// Without a predicate this costs one lookup, however many there are.
    @inlinable
    public func count(_ request: DataStoreRequest) throws(DataStoreError) -> Int {
        try performCount(request)
    }

    /// Calls `body` with each item that ``items(_:)`` would give, holding no more of them than it must.
    ///
    /// `body` may ask this accessor for more, but not write through it. What it throws ends the walk, and is
    /// thrown.
    @inlinable
    public func forEach(
        _ request: DataStoreRequest, _ body: (any DataStoreItem) throws -> Void
    ) throws {
        try performForEach(request, body)
    }
}
