extension DataStoreItem {
    /// A request for items of this class.
    ///
    /// - Throws: `.unknownAttribute` for a key path that is no attribute of the class.
    @usableFromInline
    static func request(
        _ predicate: DataStorePredicate?, _ sort: [ItemSort<Self>], offset: Int?, limit: Int?
    ) throws(DataStoreError) -> DataStoreRequest {
        DataStoreRequest(
            type: ItemType(Self.self), predicate: predicate,
            sortDescriptors: try ItemSort(sort).descriptors(), offset: offset, limit: limit)
    }
}

extension ItemSchema {
    /// The refusal of a property that is no attribute.
    func noAttribute(_ keyPath: AnyKeyPath) -> DataStoreError {
        // The name of a computed property is not known: the text has an address instead.
        let text = "\(keyPath)"
        let name = text.split(separator: ".").last.map(String.init) ?? text
        let isNamed = name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        return DataStoreError(
            .unknownAttribute, in: "predicate",
            """
            The property \(text) of “\(itemTypeKey)” is no attribute that its schema lists with a key path, so a store \
            keeps no value for it. \(attributes.map(\.name).advice(for: isNamed ? name : "")) For a condition in Swift use \
            DataStorePredicate.evaluated(_:), or filter the fetched items.
            """, itemType: itemTypeKey, attribute: isNamed ? name : nil)
    }
}
