/// The original library's calls: failures go to the error handler, and the result is nil, false or empty.
extension DataStoreReadWriteAccessor where Self: ~Copyable {
    /// The items of the request, live; none if it fails, which is reported.
    public func mutableItems(forRequest request: DataStoreRequest) -> [any MutableDataStoreItem] {
        reporting(or: []) { () throws(DataStoreError) in try fetchMutable(request) }
    }

    /// The first item of the request, live; `nil` if there is none, or if the request fails, which is reported.
    public func firstMutableItem(
        forRequest request: DataStoreRequest
    ) -> (any MutableDataStoreItem)? {
        reporting(or: nil) { () throws(DataStoreError) in
            try fetchMutable(request.first()).first
        }
    }

    /// Makes a new item of a class, with the default values that the class declares; `nil` if that fails, which is
    /// reported.
    public func createItem(
        ofMutableType itemType: any MutableDataStoreItem.Type
    ) -> (any MutableDataStoreItem)? {
        let item = reporting(or: nil) { () throws(DataStoreError) in
            let item = try performCreate(ItemType(itemType))
            try noteCreated(item)
            return item
        }
        if let item { item.setInitialValues() }
        return item
    }

    /// Inserts an item into the store.
    ///
    /// Returns true if the store contains the item afterwards, even if it did before. If the call fails, it reports
    /// the error and returns false.
    @discardableResult
    public func insert(_ item: any MutableDataStoreItem) -> Bool {
        succeeds { () throws(DataStoreError) in
            if try performInsert(item) { try noteCreated(item) }
        }
    }

    /// Deletes an item.
    ///
    /// Returns false if it was deleted before, or if the call fails, which is reported.
    @discardableResult
    public func delete(item: any DataStoreItem) -> Bool {
        var wasThere = false
        return succeeds { () throws(DataStoreError) in wasThere = try deleteByRules(item) }
            && wasThere
    }

    /// Deletes all items of a class.
    ///
    /// Returns false if the call fails, which is reported.
    @discardableResult
    public func deleteAllItems(
        ofMutableType itemType: any MutableDataStoreItem.Type
    ) -> Bool {
        batchDeleteAllItems(ofMutableTypes: [itemType])
    }

    /// Deletes all items of several classes, or none.
    ///
    /// Returns false if the call fails, which is reported.
    @discardableResult
    public func batchDeleteAllItems(
        ofMutableTypes itemTypes: [any MutableDataStoreItem.Type]
    ) -> Bool {
        succeeds { () throws(DataStoreError) in
            let types = itemTypes.map { ItemType($0) }
            guard links != nil, try hasRelationships else { return try performDeleteAll(types) }
            for type in types { try deleteAllByRules(type) }
        }
    }

    /// This block's live object for an item of any block of the store.
    ///
    /// Returns `nil` if the item was deleted. If the call fails, it reports the error and returns `nil`.
    public func mutableVersion(ofItem item: any DataStoreItem) -> (any MutableDataStoreItem)? {
        reporting(or: nil) { () throws(DataStoreError) in try performMutableVersion(of: item) }
    }

    private func fetchMutable(
        _ request: DataStoreRequest
    ) throws(DataStoreError) -> [any MutableDataStoreItem] {
        var items: [any MutableDataStoreItem] = []
        for item in try performFetch(request) {
            guard let item = item as? any MutableDataStoreItem else {
                throw .readOnlyClass(.itemNotMutable, request.type.key, in: "fetch")
            }
            items.append(item)
        }
        return items
    }

    private func succeeds(_ body: () throws(DataStoreError) -> Void) -> Bool {
        reporting(or: false) { () throws(DataStoreError) in
            try body()
            return true
        }
    }
}
