extension DataStorePredicate {
    /// The limits that every store keeps, the same on each.
    enum Limit {
        /// Bytes of UTF-8 in a format.
        static let formatBytes = 64 * 1024
        /// Predicates and collections inside one another.
        static let depth = 100
        /// Comparisons, constants and the AND, OR and NOT around them.
        static let nodes = 10_000
        /// Elements of all lists together.
        static let operands = 100_000
    }

    /// Checks that a store can use this predicate; stores call it once for each request.
    ///
    /// Throws `.limitExceeded` for a predicate deeper than 100, with more than 10,000 parts or with more
    /// than 100,000 elements in its lists; `.invalidPredicate` for operands that an operator cannot
    /// have, such as BETWEEN with one bound; `.unsupported` for an operator that is not among `operators`.
    /// Takes time in proportion to the predicate's size and no more stack for a deep predicate than for a
    /// flat one.
    ///
    /// - Parameter operators: What the store declares, if that is not all.
    public func validate(operators: Set<Operator>? = nil) throws(DataStoreError) {
        var nodes = 0
        var operands = 0
        var open: [(predicate: DataStorePredicate, depth: Int)] = [(self, 1)]
        while let (predicate, depth) = open.popLast() {
            nodes += 1
            try Self.check(depth, Limit.depth, "levels of AND, OR, NOT and lists")
            try Self.check(nodes, Limit.nodes, "comparisons and logical operators")
            switch predicate {
            case .constant: break
            case .not(let part): open.append((part, depth + 1))
            case .and(let parts), .or(let parts):
                // A list of parts may be far larger than the limit, so it is counted before it is copied.
                try Self.check(
                    nodes + parts.count, Limit.nodes, "comparisons and logical operators")
                for part in parts { open.append((part, depth + 1)) }
            case .comparison(let comparison):
                for side in [comparison.left, comparison.right] {
                    operands += try side.checkedOperandCount(depth: depth)
                }
                try Self.check(operands, Limit.operands, "elements in its lists")
                if let problem = comparison.problem {
                    throw DataStoreError(.invalidPredicate, in: "predicate", problem)
                }
                if let operators, !operators.contains(comparison.operator) {
                    throw DataStoreError(
                        .unsupported, in: "predicate",
                        """
                        The store does not support the operator \(comparison.operator.rawValue). Fetch by \
                        the rest of the predicate, and filter the items.
                        """)
                }
            }
        }
    }

    fileprivate static func check(
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

extension DataStorePredicate.Expression {
    /// The number of elements in the lists of this expression, for a comparison at the given depth.
    fileprivate func checkedOperandCount(depth: Int) throws(DataStoreError) -> Int {
        typealias Limit = DataStorePredicate.Limit
        var count = 0
        var open = [(expression: self, depth: depth)]
        while let (expression, depth) = open.popLast() {
            try DataStorePredicate.check(depth, Limit.depth, "levels of AND, OR, NOT and lists")
            let parts: [Self]
            switch expression {
            case .path, .count: continue
            case .list(let list): parts = list
            case .value(.array(let values)):
                count += values.count
                // Almost every list is flat; only collections inside it are looked into.
                parts = values.filter { $0.kind == .array || $0.kind == .dictionary }.map(
                    Self.value)
            case .value(.dictionary(let values)):
                count += values.count
                parts = values.values.filter { $0.kind == .array || $0.kind == .dictionary }
                    .map(Self.value)
            case .value: continue
            }
            if case .list = expression { count += parts.count }
            try DataStorePredicate.check(count, Limit.operands, "elements in its lists")
            for part in parts { open.append((part, depth + 1)) }
        }
        return count
    }
}

extension DataStorePredicate.Comparison {
    /// What is wrong with the operands, if something is.
    var problem: String? {
        if let problem = left.pathProblem ?? right.pathProblem { return problem }
        let name = self.operator.rawValue
        switch self.operator {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: return nil
        case .between:
            let bounds: Int? =
                switch right {
                case .list(let parts): parts.count
                case .value(.array(let values)): values.count
                case .value: 0
                case .path, .count: nil
                }
            return bounds ?? 2 == 2
                ? nil : "BETWEEN needs two bounds on its right, as in BETWEEN {1, 5}."
        case .in:
            return right.mayBe([.array, .string])
                ? nil : "IN needs a list on its right, as in IN {1, 2}, or a key path or a string."
        case .contains:
            return left.mayBe([.array, .string]) || modifier == .any
                ? nil : "CONTAINS needs a string, a list or a key path on its left."
        case .beginsWith, .endsWith:
            return right.mayBe([.string, .null])
                && (left.mayBe([.string, .null]) || modifier == .any)
                ? nil : "\(name) needs strings or key paths on both sides."
        }
    }
}

extension DataStorePredicate.Expression {
    /// Whether the expression can come to a value of one of the kinds.
    fileprivate func mayBe(_ kinds: Set<DataStoreValue.Kind>) -> Bool {
        switch self {
        case .value(let value): kinds.contains(value.kind)
        case .path: true
        case .count: kinds.contains(.int)
        case .list: kinds.contains(.array)
        }
    }

    /// What is wrong with a key path in this expression, if something is.
    fileprivate var pathProblem: String? {
        switch self {
        case .value: nil
        case .path(let path), .count(let path): path.problem
        case .list(let parts): parts.lazy.compactMap(\.pathProblem).first
        }
    }
}
