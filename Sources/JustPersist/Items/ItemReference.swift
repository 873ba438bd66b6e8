/// A stored pointer from one item to another: the other's type and id.
///
/// ```swift
/// dish.restaurant = restaurant.reference  // var restaurant: ItemReference?
/// let served = try dish.restaurant.flatMap { try db.item(Restaurant.self, $0) }
/// ```
///
/// A reference is a value and can be used after its block has ended. It does not keep its target alive, and a deleted
/// target reads as absent.
public struct ItemReference: Hashable, Sendable, Codable {
    /// The ``DataStoreItem/itemTypeKey`` of the item referred to.
    public let itemTypeKey: String
    /// The ``DataStoreItem/uniqueToken`` of the item referred to.
    public let id: ItemID

    /// A reference to the item of the given type and id, whether it exists or not.
    public init(itemTypeKey: String, id: ItemID) {
        self.itemTypeKey = itemTypeKey
        self.id = id
    }

    /// A reference to an item, which may be in a store or not yet.
    public init(to item: any DataStoreItem) {
        self.init(itemTypeKey: item.backing.itemTypeKey, id: item.backing.id)
    }
}
