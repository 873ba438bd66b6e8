/// An item whose type has no Swift class: its attributes are what the store says they are.
///
/// Tools and imports use it. Ask for dynamic items by the type's key:
///
/// ```swift
/// let request = DataStoreRequest(itemTypeKey: "Restaurant")
/// for item in try db.dynamicItems(request) { print(item["name"]) }
/// ```
public final class DynamicItem: MutableDataStoreItem {
    /// An empty schema: the type and its attributes differ from item to item.
    public static let schema = ItemSchema("", attributes: [])

    /// Where the values live.
    public let backing: any ItemBacking

    /// An item over a store's backing.
    public init(backing: any ItemBacking) { self.backing = backing }

    /// A new item that is in no store yet, with an id and values of its own.
    ///
    /// A store takes it once the type's attributes are declared there
    /// (``DataStoreReadWriteAccessor/declare(_:)``).
    public convenience init(
        _ itemTypeKey: String, id: ItemID = ItemID(), values: [String: DataStoreValue] = [:]
    ) {
        self.init(
            backing: DictionaryBacking(
                itemTypeKey: itemTypeKey, schema: nil, id: id, values: values))
    }

    /// The value of an attribute; null if it has none.
    ///
    /// An undeclared name reads as null, and setting one is reported and changes nothing. A value that cannot be
    /// read is reported, and reads as null too.
    public subscript(attribute: String) -> DataStoreValue {
        get {
            do throws(DataStoreError) {
                return try backing.value(forAttribute: attribute)
            } catch {
                if error.code != .unknownAttribute { backing.fail(error) }
                return .null
            }
        }
        set {
            do throws(DataStoreError) {
                try backing.setValue(newValue, forAttribute: attribute)
            } catch {
                backing.fail(error)
            }
        }
    }

    /// All values that are not null, by attribute: defaults of the type where the item holds none.
    public func values() throws(DataStoreError) -> [String: DataStoreValue] {
        try storedValues()
    }
}

extension DataStoreItem {
    /// All values that are not null, by attribute, and the nulls of those attributes where null is not what an
    /// item has that holds no value: those with a default.
    package func storedValues(
        withNullsOf nullable: some Collection<String> = []
    ) throws(DataStoreError) -> [String: DataStoreValue] {
        var values: [String: DataStoreValue] = [:]
        try backing.forEachValue { (name, value) throws(DataStoreError) in
            if !value.isNull || nullable.contains(name) { values[name] = value }
        }
        return values
    }
}
