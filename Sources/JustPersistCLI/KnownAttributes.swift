import JustPersist

/// The attributes that a query of one type may use.
struct KnownAttributes {
    private let schema: ItemSchema
    private let itemType: String
    private let names: [String]

    init(_ schema: ItemSchema) {
        self.schema = schema
        itemType = schema.itemTypeKey
        names = schema.attributeNames
    }

    /// Throws if a key path, with dots into dictionaries, does not begin with an attribute.
    func check(path: String, in option: String) throws {
        try check(String(path.prefix { $0 != "." }), in: option)
    }

    /// The expression in an option: an attribute, or an expression as in `--where`.
    ///
    /// - Throws: The fault of the expression, with the option.
    @discardableResult
    func key(_ text: String, in option: String, isColumn: Bool = false) throws -> RequestKey {
        if text.isEmpty { throw unknown(text, in: option) }
        do throws(DataStoreError) {
            return try RequestKey(
                text, of: schema, in: isColumn ? RequestKey.column : "query")
        } catch {
            guard error.code == .unknownAttribute, let name = error.attribute else { throw error }
            throw unknown(name, in: option)
        }
    }

    /// Throws if a predicate uses a name that is not an attribute.
    func check(_ predicate: DataStorePredicate) throws {
        try checkQuotes(predicate)
        for path in predicate.paths {
            if let name = path.components.first { try check(name, in: "--where") }
        }
    }

    private func check(_ name: String, in option: String) throws {
        if !contains(name) { throw unknown(name, in: option) }
    }

    /// Throws for a comparison with a quoted text that should be an attribute: on the command line every constant is
    /// literal.
    private func checkQuotes(_ predicate: DataStorePredicate) throws {
        switch predicate {
        case .constant, .evaluated: break
        case .not(let part): try checkQuotes(part)
        case .and(let parts), .or(let parts): for part in parts { try checkQuotes(part) }
        case .comparison(let comparison):
            guard case .value(.string(let name)) = comparison.left, names.contains(name),
                case .value = comparison.right
            else { return }
            let path = DataStorePredicate.Expression.path(.init([name]))
            throw DataStoreError(
                .invalidRequest, in: "query",
                "“\(comparison)” compares a text in quotes, and not the attribute. Write \(path) for the attribute.",
                itemType: itemType, attribute: name)
        }
    }

    private func unknown(_ name: String, in option: String) -> DataStoreError {
        DataStoreError(
            .unknownAttribute, in: "query",
            "“\(itemType)” has no attribute “\(name)”, which \(option) asks for. \(advice(for: name, in: option))",
            itemType: itemType, attribute: name)
    }

    private func contains(_ name: String) -> Bool {
        schema.kinds(ofAttribute: name) != nil
            || [name] == DataStorePredicate.AttributePath.uniqueToken.components
    }

    /// The attributes that may have been meant, as they are written in that option.
    private func advice(for name: String, in option: String) -> String {
        guard option == "--where" else {
            let advice = names.advice(for: name)
            return option == "--set" ? advice + " A new attribute is added by --add." : advice
        }
        let near = names.filter { name.isNear($0) || $0.isName(beginningWith: name) }
        let written = (near.isEmpty ? names : near).map {
            DataStorePredicate.AttributePath([$0]).description
        }.listed
        return (near.isEmpty ? "Its attributes are \(written)." : "Did you mean \(written)?")
            + " A text is written in quotes."
    }
}

extension String {
    /// Whether this is a name with an operator in it, such as `a-b`, of which a predicate reads only `a`.
    fileprivate func isName(beginningWith word: String) -> Bool {
        guard hasPrefix(word), let next = dropFirst(word.count).first else { return false }
        return !next.isLetter && !next.isNumber && next != "_"
    }
}

extension [ItemSchema] {
    /// The schema of a type that the store must have.
    func known(_ type: String, in operation: String) throws(DataStoreError) -> ItemSchema {
        if let schema = schema(ofType: type) { return schema }
        throw .unknownType(type, among: self, in: operation)
    }
}

extension DataStoreError {
    /// The refusal of a type that a store does not have.
    static func unknownType(
        _ type: String, among schemas: [ItemSchema], in operation: String
    ) -> DataStoreError {
        let links = Set(schemas.flatMap(\.relationships).compactMap { $0.links?.typeKey })
        let types = schemas.map(\.itemTypeKey).filter { !links.contains($0) }
        return DataStoreError(
            .invalidRequest, in: operation,
            "The store has no type “\(type)”. "
                + (types.isEmpty ? "It is empty." : "Its types are \(types.listed)."),
            itemType: type)
    }
}
