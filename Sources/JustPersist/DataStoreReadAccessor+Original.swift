/// The original library's calls: failures go to the error handler, and the answer is empty.
extension DataStoreReadAccessor where Self: ~Copyable {
    /// The items that the request asks for; none if that failed, which is reported.
    public func items(forRequest request: DataStoreRequest) -> [any DataStoreItem] {
        reporting(or: []) { () throws(DataStoreError) in try performFetch(request) }
    }

    /// The first item that the request asks for; `nil` if there is none, or if that failed, which is
    /// reported.
    public func firstItem(forRequest request: DataStoreRequest) -> (any DataStoreItem)? {
        reporting(or: nil) { () throws(DataStoreError) in try performFetch(request.first()).first }
    }

    /// How many items the request asks for; 0 if that failed, which is reported.
    public func countItems(forRequest request: DataStoreRequest) -> Int {
        reporting(or: 0) { () throws(DataStoreError) in try performCount(request) }
    }

    /// The items that the request asks for as a type; none if it asks for another or if that failed, which
    /// is reported.
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
    /// The same request for its first item alone.
    package func first() -> DataStoreRequest {
        // A limit that is refused stays.
        DataStoreRequest(copying: self, limit: min(limit ?? 1, 1) < 0 ? -1 : 1)
    }
}
