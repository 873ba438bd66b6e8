/// Parses the text of a predicate by recursive descent; OR binds most loosely, then AND, then NOT.
struct PredicateParser {
    private(set) var lexer: PredicateLexer
    private(set) var token: PredicateLexer.Token
    private let arguments: [Any?]
    private var argumentsUsed = 0

    /// A part between parentheses or logical operators: until the next token is read, a parenthesised expression and a
    /// parenthesised predicate cannot be distinguished.
    private enum Part {
        case predicate(DataStorePredicate)
        case operand(DataStorePredicate.Expression)
    }

    /// The predicate of a text, with each placeholder replaced by the next argument.
    static func parse(
        _ text: String, _ arguments: [Any?]
    ) throws(PredicateSyntaxError) -> DataStorePredicate {
        var parser = try PredicateParser(text, arguments)
        let whole = try parser.logic(depth: 1)
        let predicate = try parser.required(whole)
        guard parser.token.kind == .end else {
            throw parser.unexpected("AND, OR or the end of the predicate")
        }
        guard parser.argumentsUsed == arguments.count else {
            throw parser.error(
                """
                The predicate has \(parser.argumentsUsed.counted("placeholder")), but was given \
                \(arguments.count.counted("argument")).
                """)
        }
        return predicate
    }

    /// The expression of a text that contains nothing else.
    static func parseExpression(
        _ text: String
    ) throws(PredicateSyntaxError) -> DataStorePredicate.Expression {
        guard text.utf8.count <= DataStorePredicate.Limit.formatBytes else {
            throw PredicateSyntaxError(
                "It has more than \(DataStorePredicate.Limit.formatBytes) bytes, which is the limit.",
                code: .limitExceeded, at: 0)
        }
        var parser = try PredicateParser(text, [])
        let expression = try parser.operand(depth: 1)
        guard parser.token.kind == .end else {
            throw parser.unexpected("an arithmetic sign or the end of the expression")
        }
        return expression.folded
    }

    private init(_ text: String, _ arguments: [Any?]) throws(PredicateSyntaxError) {
        lexer = PredicateLexer(text)
        token = try lexer.next()
        self.arguments = arguments
    }

    // MARK: Logic, in small functions: each level of parentheses uses one frame of each

    private mutating func logic(depth: Int) throws(PredicateSyntaxError) -> Part {
        let first = try negation(depth: depth)
        guard isAnd || isOr else { return first }
        var alternatives: [DataStorePredicate] = []
        var conditions = [try required(first)]
        while isAnd || isOr {
            if isOr {
                alternatives.append(Self.all(conditions))
                conditions = []
            }
            try advance()
            let next = try negation(depth: depth)
            conditions.append(try required(next))
        }
        let last = Self.all(conditions)
        return .predicate(alternatives.isEmpty ? last : .or(alternatives + [last]))
    }

    private static func all(_ conditions: [DataStorePredicate]) -> DataStorePredicate {
        conditions.count == 1 ? conditions[0] : .and(conditions)
    }

    private mutating func negation(depth: Int) throws(PredicateSyntaxError) -> Part {
        var negations = 0
        while isNot {
            try advance()
            negations += 1
            try checkDepth(depth + negations)
        }
        var part = try condition(depth: depth + negations)
        for _ in 0..<negations { part = .predicate(.not(try required(part))) }
        return part
    }

    private mutating func condition(depth: Int) throws(PredicateSyntaxError) -> Part {
        if let constant = try constant() { return .predicate(constant) }
        let quantifier = try quantifier()
        let first = try primary(depth: depth)
        guard case .operand(let left) = first else {
            if quantifier != .none { throw unexpected("a comparison after ANY, ALL or NONE") }
            return first
        }
        if let comparison = try comparison(of: left, quantifier.modifier, depth: depth) {
            return .predicate(
                quantifier == .noElement
                    ? .not(.comparison(comparison)) : .comparison(comparison))
        }
        if quantifier != .none { throw expectedOperator }
        return first
    }

    private mutating func primary(depth: Int) throws(PredicateSyntaxError) -> Part {
        guard token.kind == .symbol("(") else { return .operand(try operand(depth: depth)) }
        try advance()
        try checkDepth(depth + 1)
        let inner = try logic(depth: depth + 1)
        try expect(")")
        guard case .operand(let expression) = inner else { return inner }
        return .operand(try operand(from: expression, depth: depth))
    }

    /// The predicate at the current token.
    mutating func predicate(depth: Int) throws(PredicateSyntaxError) -> DataStorePredicate {
        try checkDepth(depth)
        let part = try logic(depth: depth)
        return try required(part)
    }

    private mutating func constant() throws(PredicateSyntaxError) -> DataStorePredicate? {
        guard keyword == "TRUEPREDICATE" || keyword == "FALSEPREDICATE" else { return nil }
        let value = keyword == "TRUEPREDICATE"
        try advance()
        return .constant(value)
    }

    /// The quantifier before a comparison.
    private enum Quantifier {
        case none, anyElement, allElements, noElement

        var modifier: DataStorePredicate.Modifier {
            switch self {
            case .none: .direct
            // NONE is NOT ANY (Predicate Programming Guide, "Aggregate Operations").
            case .anyElement, .noElement: .any
            case .allElements: .all
            }
        }
    }

    private mutating func quantifier() throws(PredicateSyntaxError) -> Quantifier {
        let quantifier: Quantifier
        switch keyword {
        case "ANY", "SOME": quantifier = .anyElement
        case "ALL": quantifier = .allElements
        case "NONE": quantifier = .noElement
        default: return .none
        }
        try advance()
        return quantifier
    }

    /// The comparison with an operand, or `nil` if no operator follows it.
    private mutating func comparison(
        of left: DataStorePredicate.Expression, _ modifier: DataStorePredicate.Modifier, depth: Int
    ) throws(PredicateSyntaxError) -> DataStorePredicate.Comparison? {
        let place = token
        guard let (relation, options) = try relation() else { return nil }
        let rightPlace = token
        let right = try operand(depth: depth)
        let comparison = DataStorePredicate.Comparison(
            left, relation, right, modifier: modifier, options: options)
        if let problem = comparison.problem {
            throw PredicateSyntaxError(problem, at: place.offset)
        }
        if relation == .matches, case .value(.string(let pattern)) = comparison.right {
            do throws(DataStoreError) {
                _ = try RegularExpression(pattern, options)
            } catch {
                throw PredicateSyntaxError(
                    error.message, code: error.code, at: rightPlace.offset)
            }
        }
        return comparison
    }

    /// The predicate that was parsed, with errors reported at the following token.
    private func required(_ part: Part) throws(PredicateSyntaxError) -> DataStorePredicate {
        if case .predicate(let predicate) = part { return predicate }
        throw expectedOperator
    }

    private var expectedOperator: PredicateSyntaxError {
        if keyword == "NOT" {
            return error("NOT stands before a comparison: write \(negatedComparison).")
        }
        return unexpected("an operator such as == or CONTAINS")
    }

    private var isOr: Bool { keyword == "OR" || token.kind == .symbol("||") }
    private var isAnd: Bool { keyword == "AND" || token.kind == .symbol("&&") }
    private var isNot: Bool { keyword == "NOT" || token.kind == .symbol("!") }

    // MARK: Operators

    private mutating func relation() throws(PredicateSyntaxError) -> (
        DataStorePredicate.Operator, DataStorePredicate.Options
    )? {
        let relation: DataStorePredicate.Operator
        switch (token.kind, keyword) {
        case (.symbol("=="), _), (.symbol("="), _): relation = .equal
        case (.symbol("!="), _), (.symbol("<>"), _): relation = .notEqual
        case (.symbol("<="), _), (.symbol("=<"), _): relation = .lessOrEqual
        case (.symbol(">="), _), (.symbol("=>"), _): relation = .greaterOrEqual
        case (.symbol("<"), _): relation = .less
        case (.symbol(">"), _): relation = .greater
        case (_, "BETWEEN"): relation = .between
        case (_, "IN"): relation = .in
        case (_, "CONTAINS"): relation = .contains
        case (_, "BEGINSWITH"): relation = .beginsWith
        case (_, "ENDSWITH"): relation = .endsWith
        case (_, "LIKE"): relation = .like
        case (_, "MATCHES"): relation = .matches
        default: return nil
        }
        try advance()
        return (relation, try options())
    }

    private mutating func options() throws(PredicateSyntaxError) -> DataStorePredicate.Options {
        guard token.kind == .symbol("[") else { return [] }
        try advance()
        guard case .word(let letters) = token.kind else {
            throw unexpected("the options [c], [d], [cd] or [n]")
        }
        var options: DataStorePredicate.Options = []
        for letter in letters.lowercased() {
            switch letter {
            case "c": options.insert(.caseInsensitive)
            case "d": options.insert(.diacriticInsensitive)
            case "n": options.insert(.normalized)
            case "w": options.insert(.wholeCharacters)
            case "l":
                throw unsupported(
                    """
                    the option “l”, for a comparison by the rules of a locale would find other items on another \
                    machine; the options are c, d and n
                    """)
            default: throw unsupported("the option “\(letter)”; the options are c, d and n")
            }
        }
        try advance()
        try expect("]")
        return options
    }

    // MARK: Tokens, also for the operands

    /// The upper-case form of a bare word; empty for any other token.
    var keyword: String {
        if case .word(let word) = token.kind { word.uppercased() } else { "" }
    }

    mutating func advance() throws(PredicateSyntaxError) { token = try lexer.next() }

    mutating func expect(_ symbol: String) throws(PredicateSyntaxError) {
        guard token.kind == .symbol(symbol) else {
            if symbol == ")", token.kind == .symbol(",") {
                throw error("Expected “)”, but found “,”. A list is written in braces: {1, 2}.")
            }
            throw unexpected("“\(symbol)”")
        }
        try advance()
    }

    /// The argument of the placeholder at the current token.
    mutating func takeArgument(
        for placeholder: String
    ) throws(PredicateSyntaxError) -> Any? {
        guard argumentsUsed < arguments.count else {
            throw error(
                """
                The placeholder \(placeholder) has no argument\(arguments.isEmpty
                    ? ", for none are given. Write a value in its place, and a text with “%” in quotes."
                    : ": only \(arguments.count) were given; pass one for each placeholder.")
                """)
        }
        argumentsUsed += 1
        return arguments[argumentsUsed - 1]
    }

    func checkDepth(_ depth: Int) throws(PredicateSyntaxError) {
        guard depth > DataStorePredicate.Limit.depth else { return }
        throw PredicateSyntaxError(
            """
            The predicate has more than \(DataStorePredicate.Limit.depth) levels of parentheses, NOT, \
            functions, arithmetic and lists here, which is the limit; write it with less nesting.
            """,
            code: .limitExceeded, at: token.offset)
    }

    func error(_ message: String) -> PredicateSyntaxError {
        PredicateSyntaxError(message, at: token.offset)
    }

    func unsupported(_ what: String) -> PredicateSyntaxError {
        PredicateSyntaxError(
            "Predicates do not support \(what).", code: .unsupported, at: token.offset)
    }

    func unexpected(_ wanted: String) -> PredicateSyntaxError {
        let found = "Expected \(wanted), but found \(token.kind.description)."
        return error(hint.map { "\(found) \($0)" } ?? found)
    }
}

extension PredicateLexer.Kind: CustomStringConvertible {
    /// The token in an error message.
    var description: String {
        switch self {
        case .word(let text), .name(let text), .symbol(let text), .placeholder(let text):
            "“\(text)”"
        case .string: "a string"
        case .int(let value): "the number \(value)"
        case .double(let value): "the number \(value)"
        case .collectionOperator(let name): "“@\(name)”"
        case .variable(let name): "“$\(name)”"
        case .end: "the end"
        }
    }
}
