/// Splits the text of a predicate into tokens, one at a time.
struct PredicateLexer {
    /// A token and where it begins, counted in Unicode scalars.
    struct Token {
        let kind: Kind
        let offset: Int
    }

    enum Kind: Equatable {
        /// A bare word: a keyword or a name.
        case word(String)
        /// A name after `#`, which is never a keyword.
        case name(String)
        case string(String)
        /// A whole number; its sign is a symbol.
        case int(UInt64)
        case double(Double)
        /// A percent sign with its conversion, such as `%@` or `%ld`.
        case placeholder(String)
        /// The word after `@`.
        case collectionOperator(String)
        /// The word after `$`.
        case variable(String)
        case symbol(String)
        case end
    }

    /// The longest first.
    private static let symbols = [
        "==", "=>", "=<", "!=", "<=", "<>", ">=", "&&", "||", "**", ":=", "=", "!", "<", ">", "(",
        ")",
        "{", "}", "[", "]", ",", ".", ":", "+", "-", "*", "/",
    ].map { (text: $0, scalars: Array($0.unicodeScalars)) }

    // Scalars, not characters: a quote followed by a combining mark still ends a string.
    let scalars: [Unicode.Scalar]
    var position = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    mutating func next() throws(PredicateSyntaxError) -> Token {
        while let scalar = peek(), scalar.properties.isWhitespace { position += 1 }
        let start = position
        return Token(kind: try kind(), offset: start)
    }

    func peek(_ distance: Int = 0) -> Unicode.Scalar? {
        position + distance < scalars.count ? scalars[position + distance] : nil
    }

    private mutating func kind() throws(PredicateSyntaxError) -> Kind {
        guard let first = peek() else { return .end }
        if first.isDigit { return try number() }
        if first.startsName { return .word(word()) }
        switch first {
        case "\"", "'": return .string(try string())
        case "%":
            position += 1
            return .placeholder("%" + (try specifier()))
        case "#":
            position += 1
            if peek() == "\"" || peek() == "'" { return .name(try string()) }
            return .name(try word(after: "#"))
        case "@":
            position += 1
            return .collectionOperator(try word(after: "@"))
        case "$":
            position += 1
            return .variable(try word(after: "$"))
        default:
            for symbol in Self.symbols where scalars[position...].starts(with: symbol.scalars) {
                position += symbol.scalars.count
                return .symbol(symbol.text)
            }
            throw PredicateSyntaxError(
                "“\(first)” has no meaning in a predicate.\(Self.hint(on: first))", at: position)
        }
    }

    private mutating func word() -> String {
        var word = String.UnicodeScalarView()
        while let scalar = peek(), scalar.continuesName {
            word.append(scalar)
            position += 1
        }
        return String(word)
    }

    private mutating func word(after sign: String) throws(PredicateSyntaxError) -> String {
        guard peek()?.startsName == true else {
            let hint = sign == "#" ? " " + PredicateParser.quotedName : ""
            throw PredicateSyntaxError("“\(sign)” needs a name after it.\(hint)", at: position)
        }
        return word()
    }

    /// The conversion after a percent sign: one of `@`, `K` and `%`, or length modifiers and a letter.
    private mutating func specifier() throws(PredicateSyntaxError) -> String {
        var text = String.UnicodeScalarView()
        while let scalar = peek(), scalar.isASCII {
            let isModifier = "hlqztjL0123456789$.".unicodeScalars.contains(scalar)
            guard
                isModifier || scalar.properties.isAlphabetic || "@%".unicodeScalars.contains(scalar)
            else { break }
            text.append(scalar)
            position += 1
            if !isModifier { return String(text) }
        }
        throw PredicateSyntaxError(
            """
            “%” begins a placeholder such as %@ or %d. A text with “%” is written in quotes, and the remainder of a \
            division as modulus:by:(a, b).
            """, at: position)
    }
}

/// An error in a predicate's text, with its position, counted in Unicode scalars.
struct PredicateSyntaxError: Error {
    let code: DataStoreError.Code
    let message: String
    let offset: Int

    init(_ message: String, code: DataStoreError.Code = .invalidPredicate, at offset: Int) {
        self.code = code
        self.message = message
        self.offset = offset
    }
}

extension Unicode.Scalar {
    var isDigit: Bool { ("0"..."9").contains(self) }

    /// Whether a bare name can begin with the scalar.
    var startsName: Bool { self == "_" || properties.isIDStart }

    /// Whether the scalar can occur in a bare name.
    var continuesName: Bool { self == "_" || properties.isIDContinue }
}
