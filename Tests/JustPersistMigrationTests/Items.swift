import JustPersist

/// An item with an index that its class declares.
final class IndexedItem: MutableDataStoreItem {
    static let schema = ItemSchema(
        "T", attributes: [AttributeSchema("n", isIndexed: true), AttributeSchema("m")])

    let backing: any ItemBacking

    init(backing: any ItemBacking) { self.backing = backing }
}

/// This item in a later release, which no longer declares the index.
final class UnindexedItem: MutableDataStoreItem {
    static let schema = ItemSchema("T", attributes: [AttributeSchema("n"), AttributeSchema("m")])

    let backing: any ItemBacking

    init(backing: any ItemBacking) { self.backing = backing }
}
