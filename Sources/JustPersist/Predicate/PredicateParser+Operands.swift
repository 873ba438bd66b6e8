/// The sides of comparisons: arithmetic, and its values and calls.
extension PredicateParser {
    typealias Expression = DataStorePredicate.Expression

    /// One side of a comparison, an element of a list or an argument of a function.
    mutating func operand(depth: Int) throws(PredicateSyntaxError) -> Expression {
        let first = try signed(depth: depth)
        return try arithmetic(from: first, binding: 0, depth: depth)
    }

    /// One side of a comparison, for which an expression in parentheses may have been parsed already.
    mutating func operand(
        from expression: Expression, depth: Int
    ) throws(PredicateSyntaxError) -> Expression {
        let first = try keyPath(PredicateKeyPath(from: expression), depth: depth)
        return try arithmetic(from: first, binding: 0, depth: depth)
    }

    // MARK: Arithmetic

    /// An expression that begins with an operand and continues with operators of at least a given precedence.
    ///
    /// `**` binds most tightly, then `*` and `/`, then `+` and `-`; all are left-associative.
    private mutating func arithmetic(
        from first: Expression, binding least: Int, depth: Int
    ) throws(PredicateSyntaxError) -> Expression {
        var left = first
        var levels = 0
        while let (function, binding) = try arithmeticSign(), binding >= least {
            // Each operator puts its left side one level deeper.
            levels += 1
            try checkDepth(depth + levels)
            try advance()
            let next = try signed(depth: depth)
            let right = try arithmetic(from: next, binding: binding + 1, depth: depth)
            left = .function(function, [left, right])
        }
        return left
    }

    private func arithmeticSign() throws(PredicateSyntaxError) -> (
        DataStorePredicate.Function, binding: Int
    )? {
        switch token.kind {
        case .symbol("+"): return (.add, 1)
        case .symbol("-"): return (.subtract, 1)
        case .symbol("*"): return (.multiply, 2)
        case .symbol("/"): return (.divide, 2)
        case .symbol("**"): return (.power, 3)
        case .symbol(":="): throw unsupported("assignments")
        default: return nil
        }
    }

    private mutating func signed(depth: Int) throws(PredicateSyntaxError) -> Expression {
        isMinus ? try negated(depth: depth) : try unsigned(depth: depth)
    }

    private var isMinus: Bool { token.kind == .symbol("-") }

    /// An operand after any number of minus signs, one of which belongs to a number that follows.
    private mutating func negated(depth: Int) throws(PredicateSyntaxError) -> Expression {
        var signs = 0
        while isMinus {
            try advance()
            signs += 1
            try checkDepth(depth + signs)
        }
        var operand: Expression
        if let number = try negativeNumber() {
            signs -= 1
            try advance()
            operand = try keyPath(PredicateKeyPath(from: number), depth: depth + signs)
        } else {
            operand = try unsigned(depth: depth + signs)
        }
        for _ in 0..<signs { operand = .function(.subtract, [.value(.int(0)), operand]) }
        return operand
    }

    private func negativeNumber() throws(PredicateSyntaxError) -> Expression? {
        switch token.kind {
        case .int(let magnitude):
            if magnitude == Int64.min.magnitude { return .value(.int(.min)) }
            guard let value = Int64(exactly: magnitude) else {
                throw PredicateLexer.tooLarge("-\(magnitude)", at: token.offset)
            }
            return .value(.int(-value))
        case .double(let magnitude): return .value(.double(-magnitude))
        default: return nil
        }
    }

    // MARK: Operands

    /// The beginning of an operand.
    private enum Start {
        case keyPath(PredicateKeyPath)
        case parenthesis
        case braces
        case call(String, offset: Int)
    }

    // Code that a level of nesting does not need is in separate functions, to keep the frames of each level small.
    private mutating func unsigned(depth: Int) throws(PredicateSyntaxError) -> Expression {
        let path: PredicateKeyPath
        switch try start() {
        case .keyPath(let start): path = start
        case .parenthesis: path = PredicateKeyPath(from: try parenthesis(depth: depth + 1))
        case .braces: path = PredicateKeyPath(from: try braces(depth: depth + 1))
        case .call(let word, let offset):
            path = PredicateKeyPath(from: try call(word, at: offset, depth: depth))
        }
        return try keyPath(path, depth: depth)
    }

    private mutating func parenthesis(depth: Int) throws(PredicateSyntaxError) -> Expression {
        try advance()
        try checkDepth(depth)
        let inner = try operand(depth: depth)
        try expect(")")
        return inner
    }

    /// The operand at the current token, unless it contains other operands.
    private mutating func start() throws(PredicateSyntaxError) -> Start {
        switch token.kind {
        case .symbol("("): return .parenthesis
        case .symbol("{"): return .braces
        case .string(let text): return try constant(.string(text))
        case .int(let value):
            guard let value = Int64(exactly: value) else {
                throw PredicateLexer.tooLarge("\(value)", at: token.offset)
            }
            return try constant(.int(value))
        case .double(let value): return try constant(.double(value))
        case .placeholder(let placeholder):
            return .keyPath(PredicateKeyPath(from: try argument(placeholder)))
        case .word(let word): return try bareWord(word)
        case .name:
            var path = PredicateKeyPath()
            try appendName(to: &path)
            return .keyPath(path)
        case .variable(let name):
            try advance()
            return .keyPath(PredicateKeyPath(from: .variable(name)))
        case .collectionOperator(let name):
            throw error("“@\(name)” needs a key path before it, as in tags.@count.")
        case .symbol, .end: throw unexpected("a value or a key path")
        }
    }

    private mutating func constant(_ value: DataStoreValue) throws(PredicateSyntaxError) -> Start {
        try advance()
        return .keyPath(PredicateKeyPath(from: .value(value)))
    }

    private mutating func bareWord(_ word: String) throws(PredicateSyntaxError) -> Start {
        switch keyword {
        case "NIL", "NULL": return try constant(.null)
        case "TRUE", "YES": return try constant(.bool(true))
        case "FALSE", "NO": return try constant(.bool(false))
        case "SELF":
            try advance()
            let isAlone = token.kind != .symbol(".")
            return .keyPath(PredicateKeyPath(from: isAlone ? .path(.uniqueToken) : nil))
        case let keyword where Self.operatorWords.contains(keyword):
            throw error(
                """
                Expected a value or a key path, but found the keyword “\(word)”; an attribute of that name \
                is written #\(word).
                """)
        default:
            let place = token
            try advance()
            if token.kind == .symbol("(") || token.kind == .symbol(":") {
                return .call(word, offset: place.offset)
            }
            var path = PredicateKeyPath()
            _ = path.append(name: word)
            return .keyPath(path)
        }
    }

    // MARK: Key paths

    /// The continuation of an operand: names and collection operators after dots, and brackets.
    private mutating func keyPath(
        _ start: PredicateKeyPath, depth: Int
    ) throws(PredicateSyntaxError) -> Expression {
        var path = start
        while true {
            switch token.kind {
            case .symbol("."):
                try advance()
                try appendName(to: &path)
            case .symbol("["): try appendIndex(to: &path, depth: depth)
            default: return path.expression
            }
            try checkDepth(depth + path.levels)
        }
    }

    private mutating func appendName(
        to path: inout PredicateKeyPath
    ) throws(PredicateSyntaxError) {
        let problem: String?
        switch token.kind {
        case .word(let name): problem = path.append(name: name)
        case .name(let name):
            if name.isEmpty { throw error("A key path cannot have an empty name.") }
            problem = path.append(name: name)
        case .collectionOperator(let name):
            guard PredicateKeyPath.operators.contains(name) else {
                throw unsupported(
                    "the collection operator @\(name); there are \(PredicateKeyPath.operatorList)")
            }
            problem = path.append(operator: name)
        case .placeholder("%K"): return try appendArgument(to: &path)
        default: throw unexpected("a name after the dot")
        }
        if let problem { throw error(problem) }
        try advance()
    }

    private mutating func appendIndex(
        to path: inout PredicateKeyPath, depth: Int
    ) throws(PredicateSyntaxError) {
        try advance()
        switch keyword {
        case "FIRST":
            try advance()
            path.append(.first)
        case "LAST":
            try advance()
            path.append(.last)
        case "SIZE":
            try advance()
            path.appendSize()
        default:
            try checkDepth(depth + 1)
            path.append(.at(try operand(depth: depth + 1)))
        }
        try expect("]")
    }

    // MARK: Lists

    /// A list, or a dictionary of constants, in braces.
    private mutating func braces(depth: Int) throws(PredicateSyntaxError) -> Expression {
        try advance()
        try checkDepth(depth)
        if let empty = try emptyBraces() { return .value(empty) }
        let first = try operand(depth: depth)
        if token.kind == .symbol(":") { return try dictionary(from: first, depth: depth) }
        return try list(from: first, depth: depth)
    }

    private mutating func emptyBraces() throws(PredicateSyntaxError) -> DataStoreValue? {
        let isDictionary = token.kind == .symbol(":")
        guard isDictionary || token.kind == .symbol("}") else { return nil }
        if isDictionary { try advance() }
        try expect("}")
        return isDictionary ? .dictionary([:]) : .array([])
    }

    private mutating func list(
        from first: Expression, depth: Int
    ) throws(PredicateSyntaxError) -> Expression {
        var parts = [first]
        while token.kind == .symbol(",") {
            try advance()
            parts.append(try operand(depth: depth))
        }
        try expect("}")
        // Folded here, so that a list in a dictionary is recognised as constant.
        return Expression.list(parts).folded
    }

    private mutating func dictionary(
        from first: Expression, depth: Int
    ) throws(PredicateSyntaxError) -> Expression {
        var values: [String: DataStoreValue] = [:]
        var key = first
        while true {
            guard case .value(.string(let name)) = key else {
                throw error("The name before the colon is not a string.")
            }
            try expect(":")
            let place = token
            guard case .value(let value) = try operand(depth: depth) else {
                throw PredicateSyntaxError(
                    "A dictionary holds constants only.", at: place.offset)
            }
            values[name] = value
            guard token.kind == .symbol(",") else { break }
            try advance()
            key = try operand(depth: depth)
        }
        try expect("}")
        return .value(.dictionary(values))
    }

    /// The keywords that cannot be a bare name at the start of an expression.
    static let operatorWords: Set<String> = [
        "AND", "OR", "NOT", "IN", "BETWEEN", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE",
        "MATCHES",
        "ANY", "SOME", "ALL", "NONE", "TRUEPREDICATE", "FALSEPREDICATE",
    ]
}
