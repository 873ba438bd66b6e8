/// Advice for texts in the notation of SQL or Swift, or with names that need quotes.
extension PredicateParser {
    /// The advice on a replacement for an unexpected token.
    var hint: String? {
        switch token.kind {
        case .word(let word): Self.counterparts[word.uppercased()] ?? hintOnSpaces
        case .int, .double: hintOnSpaces
        case .variable(let name): "An attribute of that name is written #\("$\(name)".quoted)."
        case .string(let text) where previousScalar == ".":
            "A name in quotes has a “#” before it: #\(text.quoted)."
        case .string where previousScalar == "'" || previousScalar == "\"":
            "A quotation mark inside a string has a backslash before it."
        case .symbol("["): Self.quotedName
        case .symbol("=") where previousScalar == "=": "Equality is written ==."
        default: nil
        }
    }

    /// The notation of a name that is not a word.
    static let quotedName = "A name with a space or another sign in it is written #\"…\"."

    /// The equivalents of words in other languages.
    private static let counterparts = [
        "IS": "IS NULL is written == nil, and IS NOT NULL is written != nil.",
        "ISNULL": "Write == nil.", "NOTNULL": "Write != nil.",
        "ILIKE": "LIKE without regard to case is written LIKE[c].",
        "STARTSWITH": "Write BEGINSWITH.", "STARTS": "Write BEGINSWITH.",
        "HASPREFIX": "Write BEGINSWITH.", "ENDS": "Write ENDSWITH.",
        "HASSUFFIX": "Write ENDSWITH.", "INCLUDES": "Write CONTAINS.",
        "REGEXP": "Write MATCHES.", "RLIKE": "Write MATCHES.", "SIMILAR": "Write MATCHES.",
        "ORDER": outside, "LIMIT": outside, "OFFSET": outside, "GROUP": outside,
    ]
    private static let outside = "Sort, limit and group apart from the predicate."

    /// The equivalents of functions in other languages.
    static let functionCounterparts = [
        "LOWER": "lowercase(…)", "LOWERCASED": "lowercase(…)", "UPPER": "uppercase(…)",
        "UPPERCASED": "uppercase(…)", "AVG": "average(…)", "LEN": "length(…)",
        "STRLEN": "length(…)", "CEIL": "ceiling(…)", "MOD": "modulus:by:(a, b)", "POW": "a ** b",
        "POWER": "a ** b", "ISNULL": "… == nil",
    ]

    /// The equivalent of a comparison with a negated operator at the current token.
    var negatedComparison: String {
        var rest = lexer
        guard case .word(let word)? = try? rest.next().kind,
            Self.operatorWords.contains(word.uppercased())
        else { return "NOT (name IN {…})" }
        let name = words(before: token.offset).last ?? "name"
        let right = word.uppercased() == "IN" ? "{…}" : "…"
        return "NOT (\(name) \(word.uppercased()) \(right))"
    }

    private var previousScalar: Unicode.Scalar? {
        token.offset > 0 ? lexer.scalars[token.offset - 1] : nil
    }

    /// Words with spaces between them are one name that needs quotes, or a text without quotes.
    private var hintOnSpaces: String? {
        let head = words(before: token.offset)
        let tail = words(from: token.offset)
        guard let first = head.first, !tail.isEmpty else { return nil }
        if first.uppercased() == "WHERE" { return "Leave out WHERE." }
        let text = (head + tail).joined(separator: " ")
        return isAfterOperator
            ? "A text is written in quotes: \(text.quoted)."
            : "If “\(text)” is one name, write #\(text.quoted)."
    }

    /// Whether an operator precedes the words that end at the current token.
    private var isAfterOperator: Bool {
        let (start, all) = run(before: token.offset)
        if let keyword = all.last(where: Self.isOperator) {
            return !["AND", "OR", "NOT"].contains(keyword.uppercased())
        }
        return start > 0 && "=<>".unicodeScalars.contains(lexer.scalars[start - 1])
    }

    private static func isOperator(_ word: String) -> Bool {
        operatorWords.contains(word.uppercased())
    }

    /// The words that end at a position, from the last operator on.
    private func words(before end: Int) -> [String] {
        let all = run(before: end).words
        let last = all.lastIndex(where: Self.isOperator)
        return Array(all[(last.map { $0 + 1 } ?? 0)...])
    }

    /// The words and spaces that end at a position, and their start.
    private func run(before end: Int) -> (start: Int, words: [String]) {
        var start = end
        while start > 0, Self.isSpaced(lexer.scalars[start - 1]) { start -= 1 }
        return (start, Self.words(lexer.scalars[start..<end]))
    }

    /// The words that begin at a position, up to the next operator.
    private func words(from start: Int) -> [String] {
        let end = lexer.scalars[start...].firstIndex { !Self.isSpaced($0) } ?? lexer.scalars.count
        return Array(Self.words(lexer.scalars[start..<end]).prefix { !Self.isOperator($0) })
    }

    private static func isSpaced(_ scalar: Unicode.Scalar) -> Bool {
        scalar.continuesName || scalar.properties.isWhitespace
    }

    private static func words(_ scalars: ArraySlice<Unicode.Scalar>) -> [String] {
        scalars.split { $0.properties.isWhitespace }.map { word in
            var text = String.UnicodeScalarView()
            text.append(contentsOf: word)
            return String(text)
        }
    }
}

extension PredicateLexer {
    /// The advice on a replacement for a scalar that is not valid outside of strings.
    static func hint(on scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "“", "”", "„", "‘", "’", "«", "»":
            " Strings are written in straight quotation marks."
        case "`": " " + PredicateParser.quotedName
        default: ""
        }
    }
}
