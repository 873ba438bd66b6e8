import JustPersist

/// The attributes that may be named in a query of one type.
struct KnownAttributes {
    private let itemType: String
    private let names: [String]

    init(_ schema: ItemSchema) {
        itemType = schema.itemTypeKey
        names = schema.attributes.map(\.name)
    }

    /// Throws if a key path, with dots into dictionaries, begins with no attribute.
    func check(path: String, in option: String) throws {
        try check(String(path.prefix { $0 != "." }), in: option)
    }

    /// Throws if a predicate asks for something that is no attribute.
    func check(_ predicate: DataStorePredicate) throws {
        for path in predicate.paths {
            if let name = path.components.first { try check(name, in: "--where") }
        }
    }

    private func check(_ name: String, in option: String) throws {
        if names.contains(name) || [name] == DataStorePredicate.AttributePath.uniqueToken.components
        {
            return
        }
        throw DataStoreError(
            .unknownAttribute, in: "query",
            "“\(itemType)” has no attribute “\(name)”, which \(option) asks for. \(names.advice(for: name))",
            itemType: itemType, attribute: name)
    }
}

extension [ItemSchema] {
    /// The schema of a type that the store must have.
    func known(_ type: String, in operation: String) throws(DataStoreError) -> ItemSchema {
        if let schema = first(where: { $0.itemTypeKey == type }) { return schema }
        throw .unknownType(type, among: self, in: operation)
    }
}

extension DataStoreError {
    /// The refusal of a type that a store does not have.
    static func unknownType(
        _ type: String, among schemas: [ItemSchema], in operation: String
    ) -> DataStoreError {
        let types = schemas.map(\.itemTypeKey)
        return DataStoreError(
            .invalidRequest, in: operation,
            "The store has no type “\(type)”. "
                + (types.isEmpty ? "It is empty." : "Its types are \(types.listed)."),
            itemType: type)
    }
}
