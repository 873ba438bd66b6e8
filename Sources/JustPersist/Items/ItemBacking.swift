/// Where an item's values live: the side of an item that its store provides.
///
/// An item class holds nothing but its backing, so one class works with every store. A store hands out
/// items by making a backing for each. A backing belongs to the block that made it and follows the contract's
/// rules for items: one from a read block is frozen, one from a write block is live until the block ends, then
/// frozen. An item that is in no store yet has a ``DictionaryBacking``.
public protocol ItemBacking: AnyObject {
    /// The key of the item's type in the store.
    var itemTypeKey: String { get }

    /// The item's id.
    var id: ItemID { get }

    /// The names of all attributes of the item's type, as far as the backing knows them.
    var attributeNames: [String] { get }

    /// The value of the attribute at an index of the item class's schema; null if it has none.
    func value(at index: Int) throws(DataStoreError) -> DataStoreValue

    /// Changes the attribute at an index of the item class's schema. Refused with
    /// ``DataStoreError/Code/itemNotMutable`` unless the item is live.
    func setValue(_ value: DataStoreValue, at index: Int) throws(DataStoreError)

    /// The value of the named attribute; null if it has none.
    /// An undeclared name is ``DataStoreError/Code/unknownAttribute``.
    func value(forAttribute name: String) throws(DataStoreError) -> DataStoreValue

    /// Changes the named attribute, under the rules of ``setValue(_:at:)`` and ``value(forAttribute:)``.
    func setValue(_ value: DataStoreValue, forAttribute name: String) throws(DataStoreError)

    /// What the named attribute of the item that a reference points to holds; null if either is missing.
    ///
    /// For key paths. By default null: a backing that cannot follow references.
    func value(
        forAttribute name: String, of reference: ItemReference
    ) throws(DataStoreError) -> DataStoreValue

    /// The store's backing, for an item that was made outside and then taken in; otherwise the backing itself.
    var storeBacking: any ItemBacking { get }

    /// Hands an error that a property cannot throw to the store's error handler.
    func report(_ error: DataStoreError)
}

extension ItemBacking {
    /// Null.
    public func value(
        forAttribute name: String, of reference: ItemReference
    ) throws(DataStoreError) -> DataStoreValue { .null }

    /// The backing itself.
    public var storeBacking: any ItemBacking { self }
}
