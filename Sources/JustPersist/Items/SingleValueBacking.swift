import Foundation

/// Receives the values of one item after the other, and keeps the value of one attribute.
final class SingleValueBacking: ItemBacking {
    private let schema: ItemSchema
    private let index: Int?
    private var kept = DataStoreValue.null

    let id = ItemID()
    var itemTypeKey: String { schema.itemTypeKey }
    var attributeNames: [String] { schema.attributes.map(\.name) }

    init(_ schema: ItemSchema, attribute: String) {
        self.schema = schema
        index = schema.index(ofAttribute: attribute)
    }

    /// The value that `assign` sets, or the default if it sets none.
    ///
    /// - Throws: The error of a value that cannot be set.
    func value(_ assign: () -> Void) throws(DataStoreError) -> DataStoreValue {
        kept = index.flatMap { schema.attributes[$0].defaultValue } ?? .null
        try PropertyFailures.failingCall(assign)
        return kept
    }

    // Only setting a value can fail, which is thrown.
    func report(_ error: DataStoreError) {}

    func value(at index: Int) throws(DataStoreError) -> DataStoreValue {
        index == self.index ? kept : .null
    }

    func setValue(_ value: DataStoreValue, at index: Int) throws(DataStoreError) {
        if index == self.index {
            kept = try schema.attributes[index].check(value, ofType: itemTypeKey)
        }
    }

    func value(forAttribute name: String) throws(DataStoreError) -> DataStoreValue {
        try value(at: schema.index(ofAttribute: name) ?? -1)
    }

    func setValue(
        _ value: DataStoreValue, forAttribute name: String
    ) throws(DataStoreError) {
        try setValue(value, at: schema.index(ofAttribute: name) ?? -1)
    }

    // MARK: Fast paths for the attributes that are not kept

    func setText(_ value: String, at index: Int) -> Bool { index != self.index }

    func setInteger(_ value: Int64, at index: Int) -> Bool { index != self.index }

    func setDouble(_ value: Double, at index: Int) -> Bool { index != self.index }

    func setBool(_ value: Bool, at index: Int) -> Bool { index != self.index }

    func setDate(_ value: Date, at index: Int) -> Bool { index != self.index }
}
