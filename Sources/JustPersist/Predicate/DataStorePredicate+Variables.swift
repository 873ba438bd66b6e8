extension DataStorePredicate {
    /// The predicate with values in the place of its variables, as NSPredicate's `withSubstitutionVariables(_:)` has it.
    ///
    /// ```swift
    /// let template = try DataStorePredicate("stars BETWEEN {$low, $high}")
    /// let predicate = try template.substituting(["low": 2, "high": 4])
    /// ```
    ///
    /// A store refuses a predicate in which a variable is left. The variable of a SUBQUERY is its own, and is not
    /// replaced in it. Throws `.unsupportedValue` for a value that cannot be stored, and what
    /// ``validate(operators:)`` throws.
    public func substituting(_ values: [String: Any?]) throws(DataStoreError) -> DataStorePredicate
    {
        // What follows takes stack in proportion to the depth.
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
    /// The same as the form without `variables`, and ``substituting(_:)`` behind it.
    public init(
        _ format: String, arguments: [Any?] = [], variables: [String: Any?]
    ) throws(DataStoreError) {
        self = try DataStorePredicate(format, arguments: arguments).substituting(variables)
    }
}
