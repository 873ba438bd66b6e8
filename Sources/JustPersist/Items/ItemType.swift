/// A type of items in a request: its key, and the Swift class of its items.
public struct ItemType: Sendable {
    /// The key of the type in a store.
    public var key: String { schema?.itemTypeKey ?? dynamicKey }
    /// The class of the items that stores return.
    public let itemClass: any DataStoreItem.Type
    /// The declared attributes; `nil` for a type that only the store knows.
    public let schema: ItemSchema?
    // The key of a schema is not copied, which would cost each call on an accessor.
    /// The key of a type without a schema.
    private var dynamicKey = ""
    /// Whether an item that the block has as an object of another class is returned as that object.
    package private(set) var isOfAnyClass = false

    /// The type of a declared item class.
    public init(_ itemClass: any DataStoreItem.Type) {
        self.itemClass = itemClass
        schema = itemClass.schema
    }

    /// A type without a Swift class: its items are returned as ``DynamicItem``, with the attributes that the store
    /// knows.
    public init(dynamic key: String) {
        itemClass = DynamicItem.self
        schema = nil
        dynamicKey = key
    }

    /// A type whose items are objects of the class with which the block has used them, or else a ``DynamicItem``.
    package init(ofAnyClass key: String) {
        self.init(dynamic: key)
        isOfAnyClass = true
    }

    /// A type whose items are objects of the class with which the block has used them, or else of this one.
    package init(ofAnyClass itemClass: any DataStoreItem.Type) {
        self.init(itemClass)
        isOfAnyClass = true
    }

    /// A type that is declared without a Swift class.
    package init(_ schema: ItemSchema) {
        itemClass = DynamicItem.self
        self.schema = schema
    }

    /// The type of an item.
    public init(of item: any DataStoreItem) {
        if type(of: item) == DynamicItem.self {
            self.init(dynamic: item.backing.itemTypeKey)
        } else {
            self.init(type(of: item))
        }
    }
}
