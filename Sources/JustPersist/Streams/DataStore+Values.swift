/// Values of items as a sequence: see ``ItemStream``.
extension DataStore {
    /// The results of a function on each item of a class that matches, sorted and sliced, from one snapshot.
    ///
    /// ```swift
    /// let names = store.values(of: Restaurant.self, sortedBy: .ascending(\.name)) { $0.name }
    /// for try await name in names { print(name) }
    /// ```
    ///
    /// `transform` runs in the read block, on another thread than the loop: items cannot leave their block, but the
    /// values made from them can. A sort keeps the ids and the sort keys of all matching items in memory. Errors in
    /// the request are thrown by the iteration.
    public func values<Item: DataStoreItem, Value: Sendable>(
        of type: Item.Type, where predicate: DataStorePredicate? = nil,
        sortedBy sort: ItemSort<Item>..., offset: Int? = nil, limit: Int? = nil,
        _ transform: @escaping @Sendable (Item) throws -> Value
    ) -> ItemStream<Value> {
        values(transform) { () throws(DataStoreError) in
            try Item.request(predicate, sort, offset: offset, limit: limit)
        }
    }

    /// The results of a function on each item that matches a `#Predicate` or a comparison of key paths.
    public func values<Item: DataStoreItem, Value: Sendable>(
        of type: Item.Type, where condition: some ItemCondition<Item>,
        sortedBy sort: ItemSort<Item>..., offset: Int? = nil, limit: Int? = nil,
        _ transform: @escaping @Sendable (Item) throws -> Value
    ) -> ItemStream<Value> {
        values(transform) { () throws(DataStoreError) in
            try Item.request(condition.predicate(), sort, offset: offset, limit: limit)
        }
    }

    /// The results of a function on each item of a copy of the request.
    public func values<Value: Sendable>(
        _ request: DataStoreRequest,
        _ transform: @escaping @Sendable (any DataStoreItem) throws -> Value
    ) -> ItemStream<Value> {
        let request = request.copy()
        return ItemStream(of: self) { body in
            try self.performRead { db in
                try db.performForEach(request) { item in
                    try body(PropertyFailures.failingBlock { try transform(item) })
                }
            }
        }
    }

    private func values<Item: DataStoreItem, Value: Sendable>(
        _ transform: @escaping @Sendable (Item) throws -> Value,
        _ request: () throws(DataStoreError) -> DataStoreRequest
    ) -> ItemStream<Value> {
        let request = Result { () throws(DataStoreError) in try request() }
        return ItemStream(of: self) { body in
            let request = try request.get()
            try self.performRead { db in
                try db.forEach(as: Item.self, request) { item in
                    try body(PropertyFailures.failingBlock { try transform(item) })
                }
            }
        }
    }
}
