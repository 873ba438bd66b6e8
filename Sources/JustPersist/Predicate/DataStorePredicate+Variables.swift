extension DataStorePredicate {
    /// The predicate with its variables replaced by values, as by NSPredicate's `withSubstitutionVariables(_:)`.
    ///
    /// ```swift
    /// let template = try DataStorePredicate("stars BETWEEN {$low, $high}")
    /// let predicate = try template.substituting(["low": 2, "high": 4])
    /// ```
    ///
    /// A store refuses a predicate that still has a variable. The variable of a SUBQUERY belongs to it, and is not
    /// replaced inside it. Throws `.unsupportedValue` for a value that cannot be stored, and the errors of
    /// ``validate(operators:)``.
    public func substituting(_ values: [String: Any?]) throws(DataStoreError) -> DataStorePredicate
    {
        // The stack of the following steps grows with the depth.
        try validate(operators: nil, allowsVariables: true)
        var constants: [String: DataStoreValue] = [:]
        for (name, value) in values { constants[name] = try DataStoreValue(value) }
        let result = mapExpressions { expression, bound in
            guard case .variable(let name) = expression, !bound.contains(name),
                let constant = constants[name]
            else { return expression }
            return .value(constant)
        }
        try result.validate(operators: nil, allowsVariables: true)
        return result
    }

    /// The predicate that a text in `NSPredicate`'s language describes, with the values of its variables by name.
    ///
    /// Equivalent to the form without `variables`, followed by ``substituting(_:)``.
    public init(
        _ format: String, arguments: [Any?] = [], variables: [String: Any?]
    ) throws(DataStoreError) {
        self = try DataStorePredicate(format, arguments: arguments).substituting(variables)
    }
}
