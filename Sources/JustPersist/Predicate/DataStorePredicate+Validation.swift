extension DataStorePredicate {
    /// The limits, which are equal for all stores.
    enum Limit {
        /// The bytes of UTF-8 in a format, and in a regular expression.
        static let formatBytes = 64 * 1024
        /// The nesting of predicates, expressions and collections.
        static let depth = 100
        /// The number of comparisons, constants, AND, OR and NOT, functions and other expressions with parts.
        static let nodes = 10_000
        /// The number of elements in all lists and of arguments of all functions.
        static let operands = 100_000
    }

    /// Checks that a store can use this predicate; stores call it once for each request.
    ///
    /// Throws `.limitExceeded` for a predicate deeper than 100, with more than 10,000 parts or with more than 100,000
    /// elements in its lists; `.invalidPredicate` for operands that an operator or a function cannot have, such as
    /// BETWEEN with one bound, for an invalid regular expression in MATCHES, and for a variable without a value;
    /// `.unsupported` for an operator that is not among `operators`. The time is proportional to the predicate's size,
    /// and the stack does not grow with its depth.
    ///
    /// - Parameter operators: The operators that the store declares, if not all.
    public func validate(operators: Set<Operator>? = nil) throws(DataStoreError) {
        try validate(operators: operators, allowsVariables: false)
    }

    /// Checks the predicate; variables may still be without values.
    func validate(operators: Set<Operator>?, allowsVariables: Bool) throws(DataStoreError) {
        var validation = PredicateValidation(operators, allowsVariables: allowsVariables)
        try validation.check(self)
    }
}

/// Traverses a predicate with its own stack, and counts its parts.
private struct PredicateValidation {
    private typealias Limit = DataStorePredicate.Limit

    private enum Part {
        case predicate(DataStorePredicate)
        case expression(DataStorePredicate.Expression)
        /// A collection inside a constant.
        case value(DataStoreValue)
    }

    private let operators: Set<DataStorePredicate.Operator>?
    private let allowsVariables: Bool
    private var nodes = 0
    private var operands = 0
    private var open: [(part: Part, depth: Int, bound: Set<String>)] = []

    init(_ operators: Set<DataStorePredicate.Operator>?, allowsVariables: Bool) {
        self.operators = operators
        self.allowsVariables = allowsVariables
    }

    mutating func check(_ predicate: DataStorePredicate) throws(DataStoreError) {
        open = [(.predicate(predicate), 1, [])]
        while let (part, depth, bound) = open.popLast() {
            try Self.check(
                depth, Limit.depth, "levels of AND, OR, NOT, functions, arithmetic and lists")
            switch part {
            case .predicate(let predicate): try check(predicate, depth, bound)
            case .expression(let expression): try check(expression, depth, bound)
            case .value(let value): try check(value, depth, bound)
            }
        }
    }

    private mutating func check(
        _ predicate: DataStorePredicate, _ depth: Int, _ bound: Set<String>
    ) throws(DataStoreError) {
        try addNode()
        switch predicate {
        case .constant, .evaluated: break
        case .not(let part): open.append((.predicate(part), depth + 1, bound))
        case .and(let parts), .or(let parts):
            // The list may be far larger than the limit, so it is counted before it is copied.
            try checkNodes(and: parts.count)
            for part in parts { open.append((.predicate(part), depth + 1, bound)) }
        case .comparison(let comparison):
            if let problem = comparison.problem { throw Self.invalid(problem) }
            if comparison.operator == .matches, case .value(.string(let pattern)) = comparison.right
            {
                _ = try RegularExpression(pattern, comparison.options)
            }
            if let operators, !operators.contains(comparison.operator) {
                throw DataStoreError(
                    .unsupported, in: "predicate",
                    """
                    The store does not support the operator \(comparison.operator.rawValue). Fetch by \
                    the rest of the predicate, and filter the items.
                    """)
            }
            open.append((.expression(comparison.left), depth, bound))
            open.append((.expression(comparison.right), depth, bound))
        }
    }

    private mutating func check(
        _ expression: DataStorePredicate.Expression, _ depth: Int, _ bound: Set<String>
    ) throws(DataStoreError) {
        func add(_ parts: DataStorePredicate.Expression...) {
            for part in parts { open.append((.expression(part), depth + 1, bound)) }
        }
        if let problem = expression.problem { throw Self.invalid(problem) }
        switch expression {
        case .path, .count: return
        case .value(let value): return try check(value, depth, bound)
        case .list(let parts):
            try addOperands(parts.count)
            for part in parts { open.append((.expression(part), depth + 1, bound)) }
            return
        case .variable(let name): return try checkVariable(name, bound)
        case .keyPath(of: let base, _): add(base)
        case .function(_, let arguments):
            try addOperands(arguments.count)
            for argument in arguments { open.append((.expression(argument), depth + 1, bound)) }
        case .element(of: let base, let index):
            add(base)
            if case .at(let place) = index { add(place) }
        case .subquery(let collection, let variable, let predicate):
            add(collection)
            open.append((.predicate(predicate), depth + 1, bound.union([variable])))
        case .ternary(let predicate, let first, let second):
            add(first, second)
            open.append((.predicate(predicate), depth + 1, bound))
        case .cast(let part, _): add(part)
        }
        try addNode()
    }

    private mutating func check(
        _ value: DataStoreValue, _ depth: Int, _ bound: Set<String>
    ) throws(DataStoreError) {
        func addCollections(_ values: some Collection<DataStoreValue>) {
            // Almost every list is flat; only collections inside it are traversed.
            for value in values where value.kind == .array || value.kind == .dictionary {
                open.append((.value(value), depth + 1, bound))
            }
        }
        switch value {
        case .array(let values):
            try addOperands(values.count)
            addCollections(values)
        case .dictionary(let values):
            try addOperands(values.count)
            addCollections(values.values)
        default: break
        }
    }

    private func checkVariable(_ name: String, _ bound: Set<String>) throws(DataStoreError) {
        guard !bound.contains(name), !allowsVariables else { return }
        throw DataStoreError(
            .invalidPredicate, in: "predicate",
            "The variable $\(name) has no value; an attribute of that name is written #\("$\(name)".quoted).",
            advice: "Give it one with substituting(_:), or pass the value as an argument.")
    }

    private mutating func addNode() throws(DataStoreError) {
        nodes += 1
        try checkNodes(and: 0)
    }

    private func checkNodes(and more: Int) throws(DataStoreError) {
        try Self.check(
            nodes + more, Limit.nodes, "comparisons, logical operators, functions and the like")
    }

    private mutating func addOperands(_ count: Int) throws(DataStoreError) {
        operands += count
        try Self.check(operands, Limit.operands, "elements in its lists")
    }

    private static func invalid(_ problem: String) -> DataStoreError {
        DataStoreError(.invalidPredicate, in: "predicate", problem)
    }

    private static func check(
        _ count: Int, _ limit: Int, _ what: String
    ) throws(DataStoreError) {
        guard count > limit else { return }
        throw DataStoreError(
            .limitExceeded, in: "predicate",
            """
            The predicate has more than \(limit) \(what), which is the limit; split the request, or \
            write it with fewer.
            """)
    }
}
