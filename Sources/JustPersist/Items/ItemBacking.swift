public import Foundation

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

    /// Runs `body`, which gives a new item the values that its class is declared with.
    ///
    /// By default just that. A store that keeps the defaults of attributes need not store those among the values.
    func withInitialValues(_ body: () -> Void)

    // Short cuts for values of the commonest kinds, which need not take the form of a ``DataStoreValue`` on the way.

    /// The text of the attribute at an index, if it holds one; `nil` says nothing, and ``value(at:)`` is asked.
    func text(at index: Int) -> String?

    /// The same for a whole number.
    func integer(at index: Int) -> Int64?

    /// The same for a floating-point number.
    func double(at index: Int) -> Double?

    /// The same for a truth value.
    func bool(at index: Int) -> Bool?

    /// The same for a point in time.
    func date(at index: Int) -> Date?

    /// Changes the attribute at an index to a text, and tells whether it did; if not nothing has happened, and
    /// ``setValue(_:at:)`` is asked.
    func setText(_ value: String, at index: Int) -> Bool

    /// The same for a whole number.
    func setInteger(_ value: Int64, at index: Int) -> Bool

    /// The same for a floating-point number.
    func setDouble(_ value: Double, at index: Int) -> Bool

    /// The same for a truth value.
    func setBool(_ value: Bool, at index: Int) -> Bool

    /// The same for a point in time.
    func setDate(_ value: Date, at index: Int) -> Bool

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

    /// Runs `body`.
    public func withInitialValues(_ body: () -> Void) { body() }

    /// The backing itself.
    public var storeBacking: any ItemBacking { self }
}

/// A backing without short cuts.
extension ItemBacking {
    /// No short cut.
    public func text(at index: Int) -> String? { nil }

    /// No short cut.
    public func integer(at index: Int) -> Int64? { nil }

    /// No short cut.
    public func double(at index: Int) -> Double? { nil }

    /// No short cut.
    public func bool(at index: Int) -> Bool? { nil }

    /// No short cut.
    public func date(at index: Int) -> Date? { nil }

    /// No short cut.
    public func setText(_ value: String, at index: Int) -> Bool { false }

    /// No short cut.
    public func setInteger(_ value: Int64, at index: Int) -> Bool { false }

    /// No short cut.
    public func setDouble(_ value: Double, at index: Int) -> Bool { false }

    /// No short cut.
    public func setBool(_ value: Bool, at index: Int) -> Bool { false }

    /// No short cut.
    public func setDate(_ value: Date, at index: Int) -> Bool { false }
}
