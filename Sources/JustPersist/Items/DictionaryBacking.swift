/// The backing of an item that belongs to no store yet: its values in a dictionary.
///
/// When the item is inserted, the store takes the values from here.
public final class DictionaryBacking: ItemBacking {
    /// The key of the item's type.
    public let itemTypeKey: String
    /// The item's id.
    public let id: ItemID
    /// The values that were set, including null, by attribute; for an item that a store has inserted, the values at
    /// that time.
    public private(set) var values: [String: DataStoreValue]
    /// Whether values can be set.
    public let isMutable: Bool

    /// The backing of the store that inserted the item: from then on it receives every call.
    private var adopted: (any ItemBacking)?
    private let schema: ItemSchema?
    private let reportError: @Sendable (DataStoreError) -> Void

    /// A backing with the given values.
    ///
    /// With a schema, only its attributes can be read and set; without one, any. Without `report`, the failures of
    /// properties are logged.
    public init(
        itemTypeKey: String, schema: ItemSchema?, id: ItemID = ItemID(),
        values: [String: DataStoreValue] = [:], isMutable: Bool = true,
        report: (@Sendable (DataStoreError) -> Void)? = nil
    ) {
        self.itemTypeKey = itemTypeKey
        self.schema = schema
        self.id = id
        self.values = values
        self.isMutable = isMutable
        reportError = report ?? { $0.log() }
    }

    /// Makes the item part of a store: all calls are forwarded to the store's backing from now on.
    ///
    /// Stores call this when they insert an item.
    public func adopt(_ backing: any ItemBacking) { adopted = backing }

    /// Detaches the item from its store; it has the values again that it had when it was inserted.
    ///
    /// Stores call this when the block that inserted the item is rolled back.
    public func abandon() { adopted = nil }

    /// The store's backing if the item was inserted, and this one before.
    public var storeBacking: any ItemBacking { adopted ?? self }

    /// The attributes of the schema, or else those that have values, sorted.
    public var attributeNames: [String] {
        adopted?.attributeNames ?? schema?.attributes.map(\.name) ?? values.keys.sorted()
    }

    /// The value of the schema's attribute at `index`.
    public func value(at index: Int) throws(DataStoreError) -> DataStoreValue {
        if let adopted { return try adopted.value(at: index) }
        return try value(forAttribute: try name(at: index))
    }

    /// Sets the value of the schema's attribute at `index`.
    public func setValue(_ value: DataStoreValue, at index: Int) throws(DataStoreError) {
        if let adopted { return try adopted.setValue(value, at: index) }
        try setValue(value, forAttribute: try name(at: index))
    }

    /// The value of the named attribute.
    public func value(forAttribute name: String) throws(DataStoreError) -> DataStoreValue {
        if let adopted { return try adopted.value(forAttribute: name) }
        if let attribute = try attribute(name, in: "value") {
            return attribute.value(stored: values[name])
        }
        return values[name] ?? .null
    }

    /// The value that is stored for the named attribute; null if there is none.
    public func storedValue(forAttribute name: String) throws(DataStoreError) -> DataStoreValue {
        if let adopted { return try adopted.storedValue(forAttribute: name) }
        _ = try attribute(name, in: "value")
        return values[name] ?? .null
    }

    /// Sets the value of the named attribute.
    public func setValue(
        _ value: DataStoreValue, forAttribute name: String
    ) throws(DataStoreError) {
        if let adopted { return try adopted.setValue(value, forAttribute: name) }
        guard isMutable else { throw .itemNotMutable(itemTypeKey, attribute: name) }
        let attribute = try attribute(name, in: "setValue")
        values[name] = try attribute?.check(value, ofType: itemTypeKey) ?? value
    }

    /// The value from the store that inserted the item; null for an item in no store.
    public func value(
        forAttribute name: String, of reference: ItemReference
    ) throws(DataStoreError) -> DataStoreValue {
        try adopted?.value(forAttribute: name, of: reference) ?? .null
    }

    /// Calls `body` in the store that inserted the item; throws for an item in no store.
    public func withReader(
        _ body: (borrowing DataStoreReader) throws(DataStoreError) -> Void
    ) throws(DataStoreError) {
        guard let adopted else { throw .noRelationships(itemTypeKey) }
        try adopted.withReader(body)
    }

    /// Calls `body` in the store that inserted the item; throws for an item in no store.
    public func withWriter(
        _ body: (borrowing DataStoreWriter) throws(DataStoreError) -> Void
    ) throws(DataStoreError) {
        guard let adopted else { throw .noRelationships(itemTypeKey) }
        try adopted.withWriter(body)
    }

    /// Calls the store's handler, or the closure passed to the initializer.
    public func report(_ error: DataStoreError) {
        if let adopted { adopted.report(error) } else { reportError(error) }
    }

    private func name(at index: Int) throws(DataStoreError) -> String {
        guard let schema, schema.attributes.indices.contains(index) else {
            throw .unknownAttribute("#\(index)", ofType: itemTypeKey, in: "value")
        }
        return schema.attributes[index].name
    }

    /// The declared attribute of that name; `nil` without a schema, which accepts any name.
    private func attribute(
        _ name: String, in operation: String
    ) throws(DataStoreError) -> AttributeSchema? {
        guard let schema else { return nil }
        guard let index = schema.index(ofAttribute: name) else {
            throw .unknownAttribute(name, ofType: itemTypeKey, in: operation)
        }
        return schema.attributes[index]
    }
}
