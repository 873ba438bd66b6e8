/// Results of requests, kept up to date: see ``ResultStream``.
extension DataStore {
    /// The items of a class that match, sorted and sliced, and their changes.
    ///
    /// The elements contain ids and places: fetch the items themselves in a read block.
    public func results<Item: DataStoreItem>(
        of type: Item.Type, where predicate: DataStorePredicate? = nil,
        sortedBy sort: ItemSort<Item>..., offset: Int? = nil, limit: Int? = nil
    ) -> ResultStream {
        ResultStream(
            of: self,
            Result { () throws(DataStoreError) in
                try Item.request(predicate, sort, offset: offset, limit: limit)
            })
    }

    /// The items that match a `#Predicate` or a comparison of key paths, and their changes.
    public func results<Item: DataStoreItem>(
        of type: Item.Type, where condition: some ItemCondition<Item>,
        sortedBy sort: ItemSort<Item>..., offset: Int? = nil, limit: Int? = nil
    ) -> ResultStream {
        ResultStream(
            of: self,
            Result { () throws(DataStoreError) in
                try Item.request(condition.predicate(), sort, offset: offset, limit: limit)
            })
    }

    /// The results of a copy of the request, and their changes.
    public func results(_ request: DataStoreRequest) -> ResultStream {
        ResultStream(of: self, .success(request.copy()))
    }
}
