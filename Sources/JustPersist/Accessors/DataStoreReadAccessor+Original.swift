/// The original library's calls: failures go to the error handler, and the result is empty.
extension DataStoreReadAccessor where Self: ~Copyable {
    /// The items of the request; none if it fails, which is reported.
    public func items(forRequest request: DataStoreRequest) -> [any DataStoreItem] {
        reporting(or: []) { () throws(DataStoreError) in try performFetch(request) }
    }

    /// The first item of the request; `nil` if there is none, or if the request fails, which is reported.
    public func firstItem(forRequest request: DataStoreRequest) -> (any DataStoreItem)? {
        reporting(or: nil) { () throws(DataStoreError) in try performFetch(request.first()).first }
    }

    /// The number of items of the request; 0 if it fails, which is reported.
    public func countItems(forRequest request: DataStoreRequest) -> Int {
        reporting(or: 0) { () throws(DataStoreError) in try performCount(request) }
    }

    /// The items of the request as a class; none if the request is for another class or fails, which is reported.
    public func items<Item: DataStoreItem>(forRequest request: DataStoreRequest) -> [Item] {
        reporting(or: []) { () throws(DataStoreError) in try items(as: Item.self, request) }
    }

    /// The first item of the request, as an item of the given class; `nil` if there is none.
    ///
    /// If the request is for another class or the call fails, it reports the error and returns `nil`.
    public func firstItem<Item: DataStoreItem>(forRequest request: DataStoreRequest) -> Item? {
        reporting(or: nil) { () throws(DataStoreError) in
            try items(as: Item.self, request.first()).first
        }
    }
}

extension DataStoreRequest {
    /// A copy of the request for its first item alone.
    package func first() -> DataStoreRequest {
        // A limit that is refused is kept.
        DataStoreRequest(copying: self, limit: min(limit ?? 1, 1) < 0 ? -1 : 1)
    }
}
