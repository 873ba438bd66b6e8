extension PredicateParser {
    typealias Expression = DataStorePredicate.Expression

    /// One side of a comparison, or an element of a list.
    mutating func operand(depth: Int) throws(PredicateSyntaxError) -> Expression {
        let expression =
            token.kind == .symbol("(")
            ? try parenthesis(depth: depth + 1)
            : token.kind == .symbol("{") ? try braces(depth: depth + 1) : try simpleOperand()
        try refuseSuffix()
        return expression
    }

    private mutating func parenthesis(depth: Int) throws(PredicateSyntaxError) -> Expression {
        try advance()
        try checkDepth(depth)
        let inner = try operand(depth: depth)
        try expect(")")
        return inner
    }

    private func refuseSuffix() throws(PredicateSyntaxError) {
        switch token.kind {
        case .symbol("["): throw unsupported("indexes such as [0] or [FIRST]")
        case .symbol("+"), .symbol("-"), .symbol("*"), .symbol("/"), .symbol("**"):
            throw unsupported("arithmetic")
        case .symbol(":="): throw unsupported("assignments")
        default: break
        }
    }

    private mutating func simpleOperand() throws(PredicateSyntaxError) -> Expression {
        switch token.kind {
        case .string(let text): return try constant(.string(text))
        case .int(let value): return try constant(.int(value))
        case .double(let value): return try constant(.double(value))
        case .placeholder(let placeholder): return try argument(placeholder)
        case .word(let word): return try bareWord(word)
        case .name(let name):
            try advance()
            return try path(from: [name])
        case .symbol("+"), .symbol("-"), .symbol("*"), .symbol("/"): throw unsupported("arithmetic")
        case .variable(let name): throw unsupported("variables such as $\(name); pass an argument")
        case .collectionOperator(let name):
            throw error("“@\(name)” needs a key path before it, as in tags.@count.")
        case .symbol, .end: throw unexpected("a value or a key path")
        }
    }

    private mutating func constant(
        _ value: DataStoreValue
    ) throws(PredicateSyntaxError) -> Expression {
        try advance()
        return .value(value)
    }

    private mutating func bareWord(_ word: String) throws(PredicateSyntaxError) -> Expression {
        switch keyword {
        case "NIL", "NULL": return try constant(.null)
        case "TRUE", "YES": return try constant(.bool(true))
        case "FALSE", "NO": return try constant(.bool(false))
        case "SELF":
            try advance()
            guard token.kind == .symbol(".") else { return .path(.uniqueToken) }
            return try path(from: [])
        case let keyword where Self.operatorWords.contains(keyword):
            throw error(
                """
                Expected a value or a key path, but found the keyword “\(word)”; an attribute of that name \
                is written #\(word).
                """)
        default:
            let place = token
            try advance()
            guard token.kind == .symbol("(") else { return try path(from: [word]) }
            return try literal(word, at: place.offset)
        }
    }

    /// The path whose first names are known, at the dot behind them.
    private mutating func path(from names: [String]) throws(PredicateSyntaxError) -> Expression {
        var names = names
        while token.kind == .symbol(".") {
            try advance()
            switch token.kind {
            case .word(let name), .name(let name): names.append(name)
            case .collectionOperator("count") where !names.isEmpty:
                try advance()
                return .count(DataStorePredicate.AttributePath(names))
            case .collectionOperator(let name):
                throw unsupported("the collection operator @\(name); there is only @count")
            default: throw unexpected("a name behind the dot")
            }
            try advance()
        }
        return .path(DataStorePredicate.AttributePath(names))
    }

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
        // Folded here, so that a list in a dictionary is seen to be constant.
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

    /// A value of a kind without a sign of its own: a word and texts in parentheses.
    private mutating func literal(
        _ word: String, at offset: Int
    ) throws(PredicateSyntaxError) -> Expression {
        guard let kind = DataStoreValue.Kind(literalName: word) else {
            throw PredicateSyntaxError(
                "Predicates do not support functions such as \(word)().", code: .unsupported,
                at: offset)
        }
        var texts: [String] = []
        repeat {
            try advance()
            guard case .string(let text) = token.kind else { throw unexpected("a string") }
            texts.append(text)
            try advance()
        } while token.kind == .symbol(",")
        try expect(")")
        guard let value = DataStoreValue(literal: kind, texts) else {
            throw PredicateSyntaxError(
                "\(texts.map(\.quoted).joined(separator: ", ")) is not what \(word)() takes.",
                at: offset)
        }
        return .value(value)
    }

    // MARK: Arguments

    private mutating func argument(
        _ placeholder: String
    ) throws(PredicateSyntaxError) -> Expression {
        switch placeholder.drop(while: { "%hlqztjL".contains($0) }).first {
        case "@" where placeholder == "%@":
            let argument = try takeArgument(for: placeholder)
            return try constant(try converted(argument, for: placeholder))
        case "K" where placeholder == "%K":
            let argument = try takeArgument(for: placeholder)
            return try path(of: argument)
        case "d", "D", "i", "u", "U":
            let argument = try takeArgument(for: placeholder)
            switch try converted(argument, for: placeholder) {
            case .int(let value): return try constant(.int(value))
            case .bool(let value): return try constant(.int(value ? 1 : 0))
            default: throw wrongArgument(argument, for: placeholder, wanted: "a whole number")
            }
        case "f", "F", "e", "E", "g", "G", "a", "A":
            let argument = try takeArgument(for: placeholder)
            guard case .double(let value) = try converted(argument, for: placeholder) else {
                throw wrongArgument(argument, for: placeholder, wanted: "a Double or a Float")
            }
            return try constant(.double(value))
        default:
            throw unsupported(
                "“\(placeholder)” here; the placeholders are %@, %K, %d, %ld, %u and %f")
        }
    }

    private mutating func path(of argument: Any?) throws(PredicateSyntaxError) -> Expression {
        guard case .string(let text) = try converted(argument, for: "%K") else {
            throw wrongArgument(argument, for: "%K", wanted: "a key path as a String")
        }
        let expression: Expression
        do {
            expression = try Expression(keyPath: text)
        } catch {
            throw self.error(error.message)
        }
        try advance()
        guard case .path(let path) = expression else { return expression }
        return try self.path(from: path.components)
    }

    private func converted(
        _ argument: Any?, for placeholder: String
    ) throws(PredicateSyntaxError) -> DataStoreValue {
        do {
            return try DataStoreValue(argument)
        } catch {
            throw self.error("The argument of \(placeholder) cannot be used: \(error.message)")
        }
    }

    private func wrongArgument(
        _ argument: Any?, for placeholder: String, wanted: String
    ) -> PredicateSyntaxError {
        let found = argument.map { "\(type(of: $0))" } ?? "nil"
        return error(
            "The placeholder \(placeholder) takes \(wanted), but the argument is \(found).")
    }

    /// The keywords that cannot be a bare name at the start of an expression.
    private static let operatorWords: Set<String> = [
        "AND", "OR", "NOT", "IN", "BETWEEN", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE",
        "MATCHES",
        "ANY", "SOME", "ALL", "NONE", "TRUEPREDICATE", "FALSEPREDICATE",
    ]
}
