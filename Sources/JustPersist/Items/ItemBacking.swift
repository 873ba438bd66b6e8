public import Foundation

/// The storage of an item's values, provided by the item's store.
///
/// An item class stores nothing but its backing, so one class works with every store. A store creates a backing
/// for each item that it returns. A backing belongs to the block that created it, and follows the contract's rules
/// for items: in a read block it is frozen; in a write block it is live until the block ends, and then frozen.
/// An item that belongs to no store yet has a ``DictionaryBacking``.
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

    // Fast paths for values of the most frequent kinds, which avoid a ``DataStoreValue``.

    /// A fast path to read a string attribute; if it returns `nil`, the caller uses ``value(at:)``.
    func text(at index: Int) -> String?

    /// A fast path to read a whole number, as `text(at:)` for strings.
    func integer(at index: Int) -> Int64?

    /// A fast path to read a floating-point number, as `text(at:)` for strings.
    func double(at index: Int) -> Double?

    /// A fast path to read a truth value, as `text(at:)` for strings.
    func bool(at index: Int) -> Bool?

    /// A fast path to read a point in time, as `text(at:)` for strings.
    func date(at index: Int) -> Date?

    /// A fast path to set a string attribute, which returns whether it did.
    ///
    /// If it returns false, nothing has changed, and the caller uses ``setValue(_:at:)``.
    func setText(_ value: String, at index: Int) -> Bool

    /// A fast path to set a whole number, as `setText(_:at:)` for strings.
    func setInteger(_ value: Int64, at index: Int) -> Bool

    /// A fast path to set a floating-point number, as `setText(_:at:)` for strings.
    func setDouble(_ value: Double, at index: Int) -> Bool

    /// A fast path to set a truth value, as `setText(_:at:)` for strings.
    func setBool(_ value: Bool, at index: Int) -> Bool

    /// A fast path to set a point in time, as `setText(_:at:)` for strings.
    func setDate(_ value: Date, at index: Int) -> Bool

    /// The value of the named attribute; null if it has none. An undeclared name throws
    /// ``DataStoreError/Code/unknownAttribute``.
    func value(forAttribute name: String) throws(DataStoreError) -> DataStoreValue

    /// The value that the item stores for the named attribute; null, and not the default, if it stores none.
    ///
    /// The default implementation returns ``value(forAttribute:)``, for a backing without defaults.
    func storedValue(forAttribute name: String) throws(DataStoreError) -> DataStoreValue

    /// Changes the named attribute, under the rules of ``setValue(_:at:)`` and ``value(forAttribute:)``.
    func setValue(_ value: DataStoreValue, forAttribute name: String) throws(DataStoreError)

    /// Calls `body` with the name and the value of each of ``attributeNames``, in their order.
    ///
    /// The default reads each value by its name. A store that keeps the values together can return them at less cost.
    func forEachValue(
        _ body: (_ name: String, _ value: DataStoreValue) throws(DataStoreError) -> Void
    ) throws(DataStoreError)

    /// The value of an attribute of the item that a reference points to; null if either does not exist.
    ///
    /// Key paths use this to follow references. The default returns null: the backing cannot follow references.
    func value(
        forAttribute name: String, of reference: ItemReference
    ) throws(DataStoreError) -> DataStoreValue

    /// Calls `body` with the accessor of the item's block.
    ///
    /// Relationships use this. The default throws ``DataStoreError/Code/unsupported``; after the block has ended, a store
    /// throws ``DataStoreError/Code/relationshipNotLoaded``.
    func withReader(
        _ body: (borrowing DataStoreReader) throws(DataStoreError) -> Void
    ) throws(DataStoreError)

    /// Calls `body` with the accessor of the write block in which the item is live.
    ///
    /// The default throws ``DataStoreError/Code/unsupported``.
    func withWriter(
        _ body: (borrowing DataStoreWriter) throws(DataStoreError) -> Void
    ) throws(DataStoreError)

    /// Related items that were read with this one; `nil` until there are any.
    ///
    /// A backing of a read block keeps what is set here. The default keeps nothing.
    var prefetched: Prefetched? { get set }

    /// The store's backing for an item that was inserted into a store; otherwise the backing itself.
    var storeBacking: any ItemBacking { get }

    /// Passes an error that a property cannot throw to the store's error handler.
    func report(_ error: DataStoreError)
}

extension ItemBacking {
    /// Returns the value, for a backing without defaults.
    public func storedValue(
        forAttribute name: String
    ) throws(DataStoreError) -> DataStoreValue { try value(forAttribute: name) }

    /// Returns null.
    public func value(
        forAttribute name: String, of reference: ItemReference
    ) throws(DataStoreError) -> DataStoreValue { .null }

    /// Reads each value by its name.
    public func forEachValue(
        _ body: (_ name: String, _ value: DataStoreValue) throws(DataStoreError) -> Void
    ) throws(DataStoreError) {
        let names = attributeNames
        if names.isEmpty {
            // The backing is used on another thread than the block's, which reading the values reports.
            do throws(DataStoreError) {
                _ = try value(forAttribute: "")
            } catch {
                if error.code == .wrongThread { throw error }
            }
        }
        for name in names { try body(name, try value(forAttribute: name)) }
    }

    /// Throws ``DataStoreError/Code/unsupported``.
    public func withReader(
        _ body: (borrowing DataStoreReader) throws(DataStoreError) -> Void
    ) throws(DataStoreError) { throw .noRelationships(itemTypeKey) }

    /// Throws ``DataStoreError/Code/unsupported``.
    public func withWriter(
        _ body: (borrowing DataStoreWriter) throws(DataStoreError) -> Void
    ) throws(DataStoreError) { throw .noRelationships(itemTypeKey) }

    /// None; what is set is not kept.
    public var prefetched: Prefetched? {
        get { nil }
        set {}
    }

    /// Returns the backing itself.
    public var storeBacking: any ItemBacking { self }
}

/// Defaults for a backing without fast paths.
extension ItemBacking {
    /// No fast path.
    public func text(at index: Int) -> String? { nil }

    /// No fast path.
    public func integer(at index: Int) -> Int64? { nil }

    /// No fast path.
    public func double(at index: Int) -> Double? { nil }

    /// No fast path.
    public func bool(at index: Int) -> Bool? { nil }

    /// No fast path.
    public func date(at index: Int) -> Date? { nil }

    /// No fast path.
    public func setText(_ value: String, at index: Int) -> Bool { false }

    /// No fast path.
    public func setInteger(_ value: Int64, at index: Int) -> Bool { false }

    /// No fast path.
    public func setDouble(_ value: Double, at index: Int) -> Bool { false }

    /// No fast path.
    public func setBool(_ value: Bool, at index: Int) -> Bool { false }

    /// No fast path.
    public func setDate(_ value: Date, at index: Int) -> Bool { false }
}
