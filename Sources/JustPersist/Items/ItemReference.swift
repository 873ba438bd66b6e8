/// A stored pointer from one item to another: the other's type and id.
///
/// A reference is a plain value. It does not keep its target alive, and a target that was deleted
/// reads as absent.
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
}
