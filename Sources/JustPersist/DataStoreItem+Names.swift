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

    /// The refusal of a key path that is no attribute.
    func noAttribute(_ keyPath: AnyKeyPath) -> DataStoreError {
        let text = "\(keyPath)"
        for attribute in attributes {
            guard let property = attribute.keyPath.map({ "\($0)" }), text.hasPrefix(property)
            else { continue }
            // The key path goes on in the value of an attribute.
            var inside = text.dropFirst(property.count)
            // Of a chain of optionals.
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
    /// The description of a key path with the types of its computed properties, and not where these are in memory.
    ///
    /// The names of computed properties are not known: the description has `<computed 0x0000560 (String)>` in their places.
    fileprivate var withoutAddresses: String {
        let parts = split(separator: "<computed 0x", omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(into: String(parts[0])) { text, part in
            text += "<computed " + part.drop { $0 != "(" }
        }
    }
}
