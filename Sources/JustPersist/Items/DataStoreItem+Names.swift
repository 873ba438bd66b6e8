extension DataStoreItem {
    /// A request for items of this class.
    ///
    /// - Throws: `.unknownAttribute` for a key path that does not lead to an attribute of the class.
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
    /// The refusal of a key path that does not lead to an attribute.
    func noAttribute(_ keyPath: AnyKeyPath) -> DataStoreError {
        let text = "\(keyPath)"
        for attribute in attributes {
            guard let property = attribute.keyPath.map({ "\($0)" }), text.hasPrefix(property)
            else { continue }
            // The key path continues in the value of an attribute.
            var inside = text.dropFirst(property.count)
            // From optional chaining.
            if inside.hasSuffix("?") { inside.removeLast() }
            let path = attribute.name + inside.filter { $0 != "?" && $0 != "!" }
            let advice = """
                If the value is stored as a dictionary, write the names of its keys in a text: \
                DataStorePredicate("\(path) == %@", …), or .ascending("\(path)"). A #Predicate takes such a path where \
                all properties of the structure are of simple types.
                """
            return DataStoreError(
                .unknownAttribute, in: "predicate",
                """
                The key path \(property.prefix { $0 != "." }).\(attribute.name)\(inside.withoutAddresses) leads into the \
                value of the attribute “\(attribute.name)” of “\(itemTypeKey)”, and a key path can name attributes only. \
                \(path.contains("<") ? "Declare what you look for as an attribute." : advice)
                """, itemType: itemTypeKey, attribute: attribute.name)
        }
        let name = text.split(separator: ".").last.map(String.init) ?? text
        let isNamed = name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        return DataStoreError(
            .unknownAttribute, in: "predicate",
            """
            The property \(text[...].withoutAddresses) of “\(itemTypeKey)” is no attribute that its schema lists with a key \
            path, so a store keeps no value for it. \(attributes.map(\.name).advice(for: isNamed ? name : "")) For a condition \
            in Swift use DataStorePredicate.evaluated(_:), or filter the fetched items.
            """, itemType: itemTypeKey, attribute: isNamed ? name : nil)
    }
}

extension Substring {
    /// The description of a key path with the types of its computed properties, without their addresses.
    ///
    /// The names of computed properties are not known; the description has `<computed 0x0000560 (String)>` in place of
    /// each.
    fileprivate var withoutAddresses: String {
        let parts = split(separator: "<computed 0x", omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(into: String(parts[0])) { text, part in
            text += "<computed " + part.drop { $0 != "(" }
        }
    }
}
