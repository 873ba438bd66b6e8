/// Copies of the values of one item, as a struct that can be used after the item's block has ended.
///
/// The `@Item` macro makes one for each item class, called `Values`, with all attributes. It is `Codable` and
/// `Hashable`, so a function can return it, an actor can keep it, and a handler can send it as JSON:
///
/// ```swift
/// let best = try store.read { db in
///     try db.values(of: Restaurant.self, where: \.stars > 3)  // [Restaurant.Values]
/// }
/// let json = try JSONEncoder().encode(best)
/// ```
///
/// A struct of your own has the attributes that you choose, under your own names:
///
/// ```swift
/// struct RestaurantRow: ItemValues {
///     var uniqueToken: ItemID
///     var title: String
///
///     init(_ restaurant: Restaurant) {
///         uniqueToken = restaurant.uniqueToken
///         title = restaurant.name
///     }
///
///     func assign(to restaurant: Restaurant) { restaurant.name = title }
/// }
///
/// let rows = try store.read { db in try db.values(RestaurantRow.self, sortedBy: .ascending(\.name)) }
/// ```
///
/// To write values to a store, see `create(from:)`, `upsert(_:)` and ``MutableDataStoreItem/update(from:)``.
public protocol ItemValues<Item>: Sendable, Identifiable where ID == ItemID {
    /// The class of the items.
    associatedtype Item: MutableDataStoreItem

    /// The identity of the item: its ``DataStoreItem/uniqueToken``.
    var uniqueToken: ItemID { get }

    /// Copies the values of an item.
    init(_ item: Item)

    /// Sets the attributes of an item to these values, except for its identity.
    ///
    /// The store calls this; call ``MutableDataStoreItem/update(from:)`` to change an item. The parameter is a
    /// stand-in for the stored item: only set attributes.
    func assign(to item: Item)
}

extension ItemValues {
    /// The identity of the item, equal to ``uniqueToken``.
    ///
    /// If there is an attribute named `id`, the property `id` is that attribute.
    public var id: ItemID { uniqueToken }
}

/// An item class with a struct of its values, as `@Item` makes it.
///
/// Without the macro, declare a nested struct that conforms to ``ItemValues`` and is called `Values`:
///
/// ```swift
/// extension Restaurant: ItemWithValues {
///     struct Values: ItemValues { … }
/// }
/// ```
public protocol ItemWithValues: MutableDataStoreItem {
    /// The struct of an item's values.
    associatedtype Values: ItemValues where Values.Item == Self
}

extension ItemWithValues {
    /// A copy of the item's values, which can be used after the block has ended.
    ///
    /// A stored value that cannot be read is reported, and the copy has the attribute's default instead, as the property
    /// does; `values(of:where:sortedBy:offset:limit:)` of an accessor throws instead. If a class has an attribute named
    /// `values`, the property is that attribute; write `Restaurant.Values(restaurant)` there.
    public var values: Values { Values(self) }
}

extension MutableDataStoreItem {
    /// Sets the item's attributes to these values, and returns the names of those that were changed.
    ///
    /// Only values that differ are written, so that indexes, change streams and merges see no other changes. The item
    /// keeps its own identity.
    ///
    /// - Throws: The error of a value that cannot be stored, or of an item that cannot be changed. Attributes that
    ///   were set before the failure stay changed; roll the block back if they should not.
    @discardableResult
    public func update<Values: ItemValues>(
        from values: Values
    ) throws(DataStoreError) -> [String] where Values.Item == Self {
        let difference = DifferenceBacking(from: backing.storeBacking)
        try Self.assign(values, to: difference)
        return difference.changedIndices.sorted().map { Self.schema.attributes[$0].name }
    }

    /// Sets values through a backing.
    static func assign<Values: ItemValues>(
        _ values: Values, to backing: DifferenceBacking
    ) throws(DataStoreError) where Values.Item == Self {
        try PropertyFailures.failingCall { values.assign(to: Self(backing: backing)) }
    }
}
