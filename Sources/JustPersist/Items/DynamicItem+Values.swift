extension DynamicItem {
    /// Copies of the values of an item whose type has no Swift class, as a struct that may leave the item's block.
    ///
    /// The value of each attribute is coded as ``DataStoreValue`` is, so that every kind comes back as it was.
    public struct Values: Hashable, Sendable, Codable, Identifiable {
        /// The key of the item's type.
        public var itemTypeKey: String
        /// The identity of the item.
        public var uniqueToken: ItemID
        /// The values by attribute, null among them.
        ///
        /// An attribute that is not listed is left alone by `update(from:)`.
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

        /// Copies the values of an item of any class: all its attributes, defaults where it holds no value.
        ///
        /// - Throws: That a value cannot be read.
        public init(_ item: any DataStoreItem) throws(DataStoreError) {
            self.init(
                item.backing.itemTypeKey, id: item.backing.id,
                values: try item.storedValues(withNullsOf: item.backing.attributeNames))
        }

        /// The identity of the item: the same as ``uniqueToken``.
        public var id: ItemID { uniqueToken }

        /// The value of an attribute; null if it is not listed.
        public subscript(attribute: String) -> DataStoreValue {
            get { values[attribute] ?? .null }
            set { values[attribute] = newValue }
        }
    }

    /// Sets the attributes that the values list, and returns the names of those that were changed, sorted.
    ///
    /// Only what differs is written. The item keeps its identity, whatever that of the values is.
    ///
    /// - Throws: What is wrong with a value, or that the item cannot be changed. The attributes set before that stay
    ///   changed; roll the block back if they should not.
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
