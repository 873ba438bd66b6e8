/// A word with parentheses: functions, and expressions that are written like functions.
extension PredicateParser {
    private enum Callee {
        case subquery, ternary, cast
        case function(DataStorePredicate.Function)
        /// A hint to Core Data that changes no value (NSExpression, "init(forFunction:arguments:)").
        case noIndex
        case literal(DataStoreValue.Kind, String)
    }

    /// The call of a word at an offset, from the parenthesis or the colon after it.
    mutating func call(
        _ word: String, at offset: Int, depth: Int
    ) throws(PredicateSyntaxError) -> Expression {
        try checkDepth(depth + 1)
        switch try callee(word, at: offset) {
        case .subquery: return try subquery(depth: depth + 1)
        case .ternary: return try ternary(depth: depth + 1)
        case .cast: return try cast(depth: depth + 1)
        case .literal(let kind, let name): return try literal(kind, name, at: offset)
        case .function(let function):
            let arguments = try arguments(depth: depth + 1)
            try check(function.problem(argumentCount: arguments.count), at: offset)
            return .function(function, arguments)
        case .noIndex:
            let arguments = try arguments(depth: depth + 1)
            try check(arguments.count == 1 ? nil : "noindex() takes 1 argument.", at: offset)
            return arguments[0]
        }
    }

    private func check(_ problem: String?, at offset: Int) throws(PredicateSyntaxError) {
        if let problem { throw PredicateSyntaxError(problem, at: offset) }
    }

    /// The callee whose name begins with a word at an offset.
    private mutating func callee(
        _ word: String, at offset: Int
    ) throws(PredicateSyntaxError) -> Callee {
        let name = try functionName(from: word)
        switch name.uppercased() {
        case "SUBQUERY": return .subquery
        case "TERNARY": return .ternary
        case "CAST", "CASTOBJECT:TOTYPE:": return .cast
        case "NOINDEX", "NOINDEX:": return .noIndex
        default: break
        }
        if let kind = DataStoreValue.Kind(literalName: name) { return .literal(kind, name) }
        if let function = DataStorePredicate.Function(word: name) { return .function(function) }
        throw PredicateSyntaxError(
            "Predicates do not support \(Self.refusal(of: name)).", code: .unsupported, at: offset)
    }

    /// A name such as `add:to:`, with a colon after each part.
    private mutating func functionName(
        from word: String
    ) throws(PredicateSyntaxError) -> String {
        var name = word
        while token.kind == .symbol(":") {
            try advance()
            name += ":"
            guard case .word(let next) = token.kind else { break }
            try advance()
            name += next
        }
        guard token.kind == .symbol("(") else { throw unexpected("“(” after \(name)") }
        return name
    }

    private static func refusal(of name: String) -> String {
        switch name.uppercased() {
        case "FUNCTION": "FUNCTION(), which calls methods by their names"
        case "RANDOM", "RANDOMN", "RANDOMN:", "RANDOM:":
            "\(name)(), which would give each request another answer"
        case "FETCH": "FETCH(), a request inside a request"
        case "BLOCKPREDICATE": "blocks; filter the items in Swift"
        default:
            functionCounterparts[name.uppercased()].map { "\(name)(); write \($0)" }
                ?? "functions such as \(name)()"
        }
    }

    /// Expressions with commas between them, in parentheses.
    private mutating func arguments(depth: Int) throws(PredicateSyntaxError) -> [Expression] {
        try expect("(")
        var arguments: [Expression] = []
        if token.kind != .symbol(")") {
            arguments.append(try operand(depth: depth))
            while token.kind == .symbol(",") {
                try advance()
                arguments.append(try operand(depth: depth))
            }
        }
        try expect(")")
        return arguments
    }

    private mutating func subquery(depth: Int) throws(PredicateSyntaxError) -> Expression {
        try expect("(")
        let collection = try operand(depth: depth)
        try expect(",")
        guard case .variable(let name) = token.kind else {
            throw unexpected("a variable such as $x")
        }
        try advance()
        try expect(",")
        let predicate = try predicate(depth: depth)
        try expect(")")
        return .subquery(collection, variable: name, predicate)
    }

    private mutating func ternary(depth: Int) throws(PredicateSyntaxError) -> Expression {
        try expect("(")
        let predicate = try predicate(depth: depth)
        try expect(",")
        let first = try operand(depth: depth)
        try expect(",")
        let second = try operand(depth: depth)
        try expect(")")
        return .ternary(predicate, first, second)
    }

    private mutating func cast(depth: Int) throws(PredicateSyntaxError) -> Expression {
        try expect("(")
        let part = try operand(depth: depth)
        try expect(",")
        guard case .string(let name) = token.kind else {
            throw unexpected("the name of a class as a string, such as \"NSDate\"")
        }
        guard let valueClass = DataStorePredicate.ValueClass(rawValue: name) else {
            let names = DataStorePredicate.ValueClass.allCases.map(\.rawValue)
            throw unsupported(
                "a CAST to “\(name)”; the classes are \(names.joined(separator: ", "))")
        }
        try advance()
        try expect(")")
        return .cast(part, to: valueClass)
    }

    /// A value of a kind without its own notation: a word and texts in parentheses.
    private mutating func literal(
        _ kind: DataStoreValue.Kind, _ word: String, at offset: Int
    ) throws(PredicateSyntaxError) -> Expression {
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
}
