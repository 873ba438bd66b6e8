/// A type of items as stores are asked for it: its key, and the Swift class its items come as.
public struct ItemType: Sendable {
    /// The key of the type in a store.
    public let key: String
    /// The class of which items are made.
    public let itemClass: any DataStoreItem.Type
    /// The declared attributes; `nil` for a type known only from what the store says of it.
    public let schema: ItemSchema?

    /// The type of a declared item class.
    public init(_ itemClass: any DataStoreItem.Type) {
        self.itemClass = itemClass
        key = itemClass.itemTypeKey
        schema = itemClass.schema
    }

    /// A type without a Swift class: its items come as ``DynamicItem``, with the attributes that the
    /// store says it has.
    public init(dynamic key: String) {
        self.key = key
        itemClass = DynamicItem.self
        schema = nil
    }

    /// A type that is declared without a Swift class.
    package init(_ schema: ItemSchema) {
        key = schema.itemTypeKey
        itemClass = DynamicItem.self
        self.schema = schema
    }

    /// The type of an item.
    public init(of item: any DataStoreItem) {
        if item is DynamicItem {
            self.init(dynamic: item.backing.itemTypeKey)
        } else {
            self.init(type(of: item))
        }
    }
}
