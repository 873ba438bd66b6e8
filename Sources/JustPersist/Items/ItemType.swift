/// A type of items as stores are asked for it: its key, and the Swift class its items come as.
public struct ItemType: Sendable {
    /// The key of the type in a store.
    public var key: String { schema?.itemTypeKey ?? dynamicKey }
    /// The class of which items are made.
    public let itemClass: any DataStoreItem.Type
    /// The declared attributes; `nil` for a type known only from what the store says of it.
    public let schema: ItemSchema?
    // That of a schema is not copied: every call on an accessor would pay for it.
    /// The key of a type without a schema.
    private var dynamicKey = ""

    /// The type of a declared item class.
    public init(_ itemClass: any DataStoreItem.Type) {
        self.itemClass = itemClass
        schema = itemClass.schema
    }

    /// A type without a Swift class: its items come as ``DynamicItem``, with the attributes that the
    /// store says it has.
    public init(dynamic key: String) {
        itemClass = DynamicItem.self
        schema = nil
        dynamicKey = key
    }

    /// A type that is declared without a Swift class.
    package init(_ schema: ItemSchema) {
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
