package import Foundation

/// The value that a sort descriptor, an aggregate, a group key or a column computes for an item: an attribute, or any
/// predicate expression.
package struct RequestKey: Sendable {
    /// The key as it was written.
    package let text: String
    /// The expression to compute.
    package let expression: DataStorePredicate.Expression
    /// The kinds of values that it can have.
    let kinds: ValueKinds
    /// Whether an array may be on the path; a sort does not collect its values.
    package let mayCollect: Bool
    private let itemTypeKey: String?
    private let operation: String
    private let prepared: PreparedExpression

    /// The path of a key that is only a path.
    package var path: DataStorePredicate.AttributePath? {
        if case .path(let path) = expression { path } else { nil }
    }

    /// Whether the key is a path into the values of an attribute, any names of which are allowed.
    package func isPathIntoDictionary(of schema: ItemSchema) -> Bool {
        guard let names = path?.components, names.count > 1 else { return false }
        return !schema.relationships.contains { $0.name == names[0] }
    }

    /// Parses a key; `now` is the time of the request.
    ///
    /// The name of an attribute refers to that attribute, even if it contains operators. Every other text is an
    /// expression in which each path begins at an attribute, or else a key path with any names below an attribute.
    ///
    /// - Parameter names: The known attributes of the type; `nil` accepts any name.
    /// - Throws: `.unknownAttribute` for an attribute that does not exist, `.invalidRequest` for an invalid expression
    ///   or one that has no value for any item, `.unsupported` for an expression that predicates do not support,
    ///   `.limitExceeded` for an expression beyond the limits of predicates.
    package init(
        _ text: String, of names: (any AttributeNames)?, in operation: String,
        now: Date = Surroundings.date
    ) throws(DataStoreError) {
        self.text = text
        self.operation = operation
        itemTypeKey = names?.itemTypeKey
        expression = try Self.expression(text, names, operation)
        prepared = PreparedExpression(expression, now: now)
        guard let names else {
            (kinds, mayCollect) = (.all, true)
            return
        }
        let check = OperandCheck(names: names, operation: operation)
        kinds = try check.kinds(of: expression)
        guard case .path(let path) = expression, path.components.count > 1 else {
            mayCollect = false
            return
        }
        let first = try check.kinds(at: .init([path.components[0]]))
        mayCollect = path.components.count > 2 || first.contains(.array)
        if first == .array, operation != Self.column { throw collects(path) }
    }

    /// The operation of a column, in which a path may collect.
    package static let column = "column"

    // MARK: Values

    /// The value of the key for an item.
    ///
    /// - Throws: `.invalidRequest` for a path through an array, and the errors of the evaluation.
    package func value(for subject: some PredicateSubject) throws(DataStoreError) -> DataStoreValue
    {
        guard let path, operation != Self.column else {
            var scope = PredicateScope()
            return try prepared.value(for: subject, &scope)
        }
        guard let first = path.components.first else { return .null }
        var value = try subject.value(forAttribute: first)
        for name in path.components.dropFirst() {
            if case .array = value { throw collects(path) }
            value = try subject.value(at: [name], from: value)
        }
        return value
    }

    private func collects(_ path: DataStorePredicate.AttributePath) -> DataStoreError {
        let start = path.components.dropLast().joined(separator: ".")
        let end = path.components.last ?? ""
        return refusal(
            """
            “\(text)” leads through an array, and has several values for one item. Compute one of them, such as \
            \(start).@sum.\(end), \(start).@max.\(end) or \(start).@count.
            """)
    }

    private func refusal(_ message: String) -> DataStoreError {
        DataStoreError(
            .invalidRequest, in: operation, message, itemType: itemTypeKey,
            attribute: path?.components.first)
    }

    // MARK: Texts

    private static func expression(
        _ text: String, _ names: (any AttributeNames)?, _ operation: String
    ) throws(DataStoreError) -> DataStorePredicate.Expression {
        let plain = DataStorePredicate.AttributePath(dotted: text)
        if let problem = plain.components.count == 1 ? plain.problem : nil {
            throw DataStoreError(
                .invalidRequest, in: operation, problem, itemType: names?.itemTypeKey)
        }
        func isKnown(_ name: String) -> Bool {
            guard let names else { return true }
            return names.kinds(ofAttribute: name) != nil
                || [name] == DataStorePredicate.AttributePath.uniqueToken.components
        }
        if names != nil, plain.components.count == 1, isKnown(text) { return .path(plain) }
        let startsAtAttribute = isKnown(plain.components[0])
        let parsed = Result { () throws(PredicateSyntaxError) in
            try PredicateParser.parseExpression(text)
        }
        switch parsed {
        case .success(let expression):
            let paths = DataStorePredicate.isNull(expression).paths
            // As in headers.content-type, where type is not an attribute.
            if startsAtAttribute, !text.contains(where: \.isWhitespace), !hasSigns(text),
                !paths.allSatisfy({ isKnown($0.components.first ?? "") })
            {
                return .path(plain)
            }
            try DataStorePredicate.isNull(expression).validate()
            if !paths.isEmpty { return expression }
            throw DataStoreError(
                .invalidRequest, in: operation,
                "“\(text)” names no attribute, and is the same for all items.",
                itemType: names?.itemTypeKey)
        case .failure(let error):
            // As in address.line 2.
            if !hasSigns(text), plain.problem == nil {
                _ = try names?.knownKinds(ofAttribute: plain.components[0], in: operation)
                return .path(plain)
            }
            throw DataStoreError(
                error.code == .invalidPredicate ? .invalidRequest : error.code, in: operation,
                "“\(text)” is neither an attribute nor an expression: \(error.message)",
                itemType: names?.itemTypeKey, attribute: plain.components[0])
        }
    }

    /// Whether a text has a character that names below an attribute seldom contain, and expressions often.
    private static func hasSigns(_ text: String) -> Bool {
        text.contains { "()[]{}@#*/+".contains($0) }
    }
}
