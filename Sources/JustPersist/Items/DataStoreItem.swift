/// An object kept in a data store.
///
/// Declare item classes with the `@Item` macro of `JustPersistMacros`, or by hand:
///
/// ```swift
/// final class Restaurant: MutableDataStoreItem {
///     static let schema = ItemSchema("Restaurant", attributes: [
///         AttributeSchema("name", kinds: [.string], keyPath: \Restaurant.name),
///         AttributeSchema("stars", kinds: [.int], keyPath: \Restaurant.stars),
///     ])
///     let backing: any ItemBacking
///     init(backing: any ItemBacking) { self.backing = backing }
///
///     var name: String? {
///         get { optionalAttribute(at: 0) }
///         set { setOptionalAttribute(newValue, at: 0) }
///     }
///     var stars: Int {
///         get { attribute(at: 1, default: 0) }
///         set { setAttribute(newValue, at: 1) }
///     }
/// }
/// ```
///
/// An item belongs to the block that fetched it and is not `Sendable`, so a block returns copies of values, not
/// items. You can still read an item after its block has ended, from one thread at a time.
public protocol DataStoreItem: AnyObject, Identifiable, SendableMetatype where ID == ItemID {
    /// The type's name in a store, and its attributes.
    static var schema: ItemSchema { get }

    /// The storage of the item's values.
    var backing: any ItemBacking { get }

    /// Makes an item over a store's backing. Only stores call this; it must not use the backing's values.
    init(backing: any ItemBacking)

    /// Sets the properties of a new item to their declared default values. Does nothing by default.
    ///
    /// This is called once for each item, by ``init()`` or by a store's `create`. The defaults are thereby stored, so
    /// requests find them, and a default such as `Date()` or `UUID()` does not change later.
    func setInitialValues()
}

/// An item that can be changed inside a write block.
public protocol MutableDataStoreItem: DataStoreItem {}

extension DataStoreItem {
    /// The key that identifies items of this type in a store.
    public static var itemTypeKey: String { schema.itemTypeKey }

    /// The identity of this item.
    ///
    /// Never changes: not by update, merge, reopening or migration.
    public var uniqueToken: ItemID { backing.id }

    /// The identity of this item, equal to ``uniqueToken``.
    ///
    /// If a class has an attribute named `id`, the property `id` returns that attribute. ``uniqueToken`` is still the
    /// identity of the item, also for `Identifiable`.
    public var id: ItemID { backing.id }

    /// A reference to this item, to be stored in an attribute of another one, or kept after the block has ended.
    ///
    /// ``DataStoreReadAccessor/item(_:_:)`` finds the item again. A class with an attribute named `reference` has the
    /// attribute instead; use ``ItemReference/init(to:)`` there.
    public var reference: ItemReference { ItemReference(to: self) }

    /// A new item that is in no store yet; put it into one with `insert(_:)`.
    public init() {
        self.init(
            backing: DictionaryBacking(itemTypeKey: Self.itemTypeKey, schema: Self.schema))
        setInitialValues()
    }

    /// Sets nothing.
    public func setInitialValues() {}
}
