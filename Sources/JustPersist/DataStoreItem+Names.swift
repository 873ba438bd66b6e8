/// The names that a typed call may use.
extension DataStoreItem {
    /// A request for items of this class, in which every name is one of the class.
    ///
    /// - Throws: `.unknownAttribute` for a name that the class does not declare: it would be nil in every item.
    @usableFromInline
    static func request(
        _ predicate: DataStorePredicate?, _ sort: [ItemSort<Self>], offset: Int?, limit: Int?
    ) throws(DataStoreError) -> DataStoreRequest {
        let type = ItemType(Self.self)
        let descriptors = try ItemSort(sort).descriptors()
        if let schema = type.schema {
            for descriptor in descriptors {
                let name = String(descriptor.key.prefix { $0 != "." })
                if !name.isEmpty { try schema.checkName(name, in: "sort") }
            }
            for path in predicate?.paths ?? [] {
                if let name = path.components.first { try schema.checkName(name, in: "predicate") }
            }
        }
        return DataStoreRequest(
            type: type, predicate: predicate, sortDescriptors: descriptors, offset: offset,
            limit: limit)
    }
}

extension ItemSchema {
    /// Throws for a name that is no attribute of the type, with the nearest one.
    func checkName(_ name: String, in operation: String) throws(DataStoreError) {
        if index(ofAttribute: name) != nil
            || attributes.contains(where: { $0.formerNames.contains(name) })
            || [name] == DataStorePredicate.AttributePath.uniqueToken.components
        {
            return
        }
        throw DataStoreError(
            .unknownAttribute, in: operation,
            "“\(itemTypeKey)” declares no attribute “\(name)”. \(attributes.map(\.name).advice(for: name))",
            itemType: itemTypeKey, attribute: name)
    }

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
