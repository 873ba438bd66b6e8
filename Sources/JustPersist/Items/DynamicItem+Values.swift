extension DynamicItem {
    /// Copies of the values of an item whose type has no Swift class, as a struct that can be used after the item's
    /// block.
    ///
    /// The value of each attribute is coded as ``DataStoreValue`` is, so that its kind is preserved.
    public struct Values: Hashable, Sendable, Codable, Identifiable {
        /// The key of the item's type.
        public var itemTypeKey: String
        /// The identity of the item.
        public var uniqueToken: ItemID
        /// The values by attribute, including null.
        ///
        /// `update(from:)` does not change an attribute that is not listed.
        public var values: [String: DataStoreValue]

        private enum CodingKeys: String, CodingKey {
            case itemTypeKey = "type"
            case uniqueToken = "id"
            case values
        }

        /// Values of an item of a type.
        public init(
            _ itemTypeKey: String, id: ItemID = ItemID(), values: [String: DataStoreValue] = [:]
        ) {
            self.itemTypeKey = itemTypeKey
            uniqueToken = id
            self.values = values
        }

        /// Copies the values of an item of any class: all its attributes, with defaults for those that have no stored
        /// value.
        ///
        /// - Throws: An error if a value cannot be read.
        public init(_ item: any DataStoreItem) throws(DataStoreError) {
            self.init(
                item.backing.itemTypeKey, id: item.backing.id,
                values: try item.storedValues(withNullsOf: item.backing.attributeNames))
        }

        /// The identity of the item, equal to ``uniqueToken``.
        public var id: ItemID { uniqueToken }

        /// The value of an attribute; null if it is not listed.
        public subscript(attribute: String) -> DataStoreValue {
            get { values[attribute] ?? .null }
            set { values[attribute] = newValue }
        }
    }

    /// Sets the listed attributes, and returns the names of those that were changed, sorted.
    ///
    /// Only values that differ are written. The item keeps its own identity.
    ///
    /// - Throws: The error of a value that cannot be stored, or of an item that cannot be changed. Attributes that
    ///   were set before the failure stay changed; roll the block back if they should not.
    @discardableResult
    public func update(from values: Values) throws(DataStoreError) -> [String] {
        var changed: [String] = []
        for (name, value) in values.values.sorted(by: { $0.key < $1.key }) {
            if try backing.value(forAttribute: name) == value { continue }
            try backing.setValue(value, forAttribute: name)
            changed.append(name)
        }
        return changed
    }
}
