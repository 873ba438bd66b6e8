/// An item whose type has no Swift class; the store knows its attributes.
///
/// Tools and imports use it. Request dynamic items by the type's key:
///
/// ```swift
/// let request = DataStoreRequest(itemTypeKey: "Restaurant")
/// for item in try db.dynamicItems(request) { print(item["name"]) }
/// ```
public final class DynamicItem: MutableDataStoreItem {
    /// An empty schema: the type and its attributes differ from item to item.
    public static let schema = ItemSchema("", attributes: [])

    /// The storage of the item's values.
    public let backing: any ItemBacking

    /// Makes an item over a store's backing.
    public init(backing: any ItemBacking) { self.backing = backing }

    /// A new item that is in no store yet, with its own id and values.
    ///
    /// A store accepts it once the type's attributes are declared there (``DataStoreReadWriteAccessor/declare(_:)``).
    public convenience init(
        _ itemTypeKey: String, id: ItemID = ItemID(), values: [String: DataStoreValue] = [:]
    ) {
        self.init(
            backing: DictionaryBacking(
                itemTypeKey: itemTypeKey, schema: nil, id: id, values: values))
    }

    /// The value of an attribute; null if it has none.
    ///
    /// An undeclared name reads as null; setting it is reported and changes nothing. A value that cannot be read is
    /// reported, and reads as null too.
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
                if try setRelated(attribute, toValue: newValue) { return }
                try backing.setValue(newValue, forAttribute: attribute)
            } catch {
                backing.fail(error)
            }
        }
    }

    /// All values that are not null, by attribute, with the type's defaults for attributes that have no stored value.
    public func values() throws(DataStoreError) -> [String: DataStoreValue] {
        try storedValues()
    }
}

extension DataStoreItem {
    /// All values that are not null, by attribute, and the nulls of attributes that have a default, because an item
    /// without a stored value would have the default.
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
