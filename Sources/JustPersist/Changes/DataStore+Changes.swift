/// Streams of committed changes: see ``ChangeStream``.
extension DataStore {
    /// The changes of the items of a class.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - token: Where to begin: after a state that was read (``DataStoreReadAccessor/changeToken``), or after changes
    ///     that were reported before, even in an earlier run of the program. Without a token, the first element asks
    ///     the loop to read the state.
    ///   - everyDeletion: Whether an item that was created and deleted since the last element is reported as deleted. Ask
    ///     for it if your state may be later than the token, because the two are not saved together: see
    ///     <doc:ObservingChanges>.
    public func changes<Item: DataStoreItem>(
        of type: Item.Type, since token: ChangeToken? = nil, everyDeletion: Bool = false
    ) -> ChangeStream<ItemChanges> {
        changes(of: ItemType(type), since: token, everyDeletion)
    }

    /// The changes of the items of a type known by its key.
    public func changes(
        ofType itemTypeKey: String, since token: ChangeToken? = nil, everyDeletion: Bool = false
    ) -> ChangeStream<ItemChanges> {
        changes(of: ItemType(dynamic: itemTypeKey), since: token, everyDeletion)
    }

    private func changes(
        of type: ItemType, since token: ChangeToken?, _ everyDeletion: Bool
    ) -> ChangeStream<ItemChanges> {
        let key = type.key
        let scope = ChangeScope.types([type])
        return ChangeStream(
            of: self, everyDeletion ? .withEveryDeletion(in: scope) : scope, since: token
        ) { set in
            ItemChanges(ofType: key, in: set)
        }
    }

    /// The changes of all items.
    public func changes(
        since token: ChangeToken? = nil, everyDeletion: Bool = false
    ) -> ChangeStream<ChangeSet> {
        let scope = ChangeScope.everything
        return ChangeStream(
            of: self, everyDeletion ? .withEveryDeletion(in: scope) : scope, since: token
        ) { $0 }
    }

    /// The changes of one item, which need not exist yet.
    ///
    /// Without a token, the first element of the stream is ``ItemChange/Kind/unknown``.
    public func changes(
        of item: ItemReference, since token: ChangeToken? = nil
    ) -> ChangeStream<ItemChange> {
        changes(of: item, ItemType(dynamic: item.itemTypeKey), since: token)
    }

    /// The changes of one item.
    ///
    /// Without a token, the first element of the stream is ``ItemChange/Kind/unknown``.
    public func changes<Item: DataStoreItem>(
        of item: Item, since token: ChangeToken? = nil
    ) -> ChangeStream<ItemChange> {
        changes(of: item.reference, ItemType(of: item), since: token)
    }

    private func changes(
        of item: ItemReference, _ type: ItemType, since token: ChangeToken?
    ) -> ChangeStream<ItemChange> {
        ChangeStream(of: self, .item(type, item.id), since: token) { set in
            ItemChange(of: item, in: set)
        }
    }
}

extension ItemChanges {
    /// The part of a set for one type, by the key that the program knows.
    init?(ofType key: String, in set: ChangeSet) {
        guard set.isComplete, set.types.allSatisfy(\.isComplete) else {
            self.init(itemTypeKey: key, isComplete: false, token: set.token)
            return
        }
        // A store may have the items of a class under two numbers for a while.
        if set.types.isEmpty { return nil }
        self.init(
            itemTypeKey: key, inserted: set.types.flatMap(\.inserted),
            updated: set.types.flatMap(\.updated), deleted: set.types.flatMap(\.deleted),
            token: set.token)
    }
}
