/// Cuts the text of a predicate into tokens, one at a time.
struct PredicateLexer {
    /// A token and where it begins, counted in Unicode scalars.
    struct Token {
        let kind: Kind
        let offset: Int
    }

    enum Kind: Equatable {
        /// A bare word: a keyword or a name.
        case word(String)
        /// A name behind `#`, which is never a keyword.
        case name(String)
        case string(String)
        case int(Int64)
        case double(Double)
        /// A percent sign and what belongs to it, such as `%@` or `%ld`.
        case placeholder(String)
        /// A word behind `@`, without it.
        case collectionOperator(String)
        /// A word behind `$`, without it.
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

    // Scalars and not characters: a quote followed by a combining mark still ends a string.
    private let scalars: [Unicode.Scalar]
    private var position = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    mutating func next() throws(PredicateSyntaxError) -> Token {
        while let scalar = peek(), scalar.properties.isWhitespace { position += 1 }
        let start = position
        return Token(kind: try kind(), offset: start)
    }

    private func peek(_ distance: Int = 0) -> Unicode.Scalar? {
        position + distance < scalars.count ? scalars[position + distance] : nil
    }

    private mutating func kind() throws(PredicateSyntaxError) -> Kind {
        guard let first = peek() else { return .end }
        if first.isDigit || (first == "-" && peek(1)?.isDigit == true) { return try number() }
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
            throw PredicateSyntaxError("“\(first)” has no meaning in a predicate.", at: position)
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
            throw PredicateSyntaxError("“\(sign)” needs a name behind it.", at: position)
        }
        return word()
    }

    /// The conversion behind a percent sign: one of `@`, `K` and `%`, or length modifiers and a letter.
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
        throw PredicateSyntaxError("“%” needs @, K or a letter such as d behind it.", at: position)
    }

    private mutating func number() throws(PredicateSyntaxError) -> Kind {
        let start = position
        var isWhole = true
        if peek() == "-" { position += 1 }
        skipDigits()
        if peek() == ".", peek(1)?.isDigit == true {
            isWhole = false
            position += 1
            skipDigits()
        }
        if peek() == "e" || peek() == "E" {
            let signed = peek(1) == "+" || peek(1) == "-"
            if peek(signed ? 2 : 1)?.isDigit == true {
                isWhole = false
                position += signed ? 2 : 1
                skipDigits()
            }
        }
        if let scalar = peek(), scalar.continuesName {
            throw PredicateSyntaxError(
                "“\(scalar)” cannot follow a number; numbers are decimal, such as 255 or 2.5e3.",
                at: position)
        }
        var digits = String.UnicodeScalarView()
        digits.append(contentsOf: scalars[start..<position])
        let text = String(digits)
        if isWhole {
            guard let int = Int64(text) else {
                throw PredicateSyntaxError(
                    "The whole number \(text) does not fit into 64 bits; write decimal(\"\(text)\").",
                    at: start)
            }
            return .int(int)
        }
        guard let double = Double(text), double.isFinite else {
            throw PredicateSyntaxError("The number \(text) is too large for a Double.", at: start)
        }
        return .double(double)
    }

    private mutating func skipDigits() {
        while peek()?.isDigit == true { position += 1 }
    }

    private mutating func string() throws(PredicateSyntaxError) -> String {
        let start = position
        let quote = scalars[start]
        position += 1
        var text = String.UnicodeScalarView()
        while let scalar = peek() {
            position += 1
            if scalar == quote { return String(text) }
            text.append(scalar == "\\" ? try escaped() : scalar)
        }
        throw PredicateSyntaxError(
            "The string that begins here has no closing \(quote).", at: start)
    }

    /// The scalar that is written behind a backslash.
    private mutating func escaped() throws(PredicateSyntaxError) -> Unicode.Scalar {
        guard let scalar = peek() else {
            throw PredicateSyntaxError("The text ends behind a backslash.", at: position)
        }
        position += 1
        switch scalar {
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "0": return "\0"
        case "u": return try hexadecimal(digits: 4)
        case "U": return try hexadecimal(digits: 8)
        default: return scalar
        }
    }

    private mutating func hexadecimal(digits: Int) throws(PredicateSyntaxError) -> Unicode.Scalar {
        let start = position
        var value: UInt32 = 0
        for _ in 0..<digits {
            guard let digit = peek().flatMap({ Character($0).hexDigitValue }),
                peek()?.isASCII == true
            else {
                throw PredicateSyntaxError(
                    "\\\(digits == 4 ? "u" : "U") needs \(digits) hexadecimal digits.", at: position
                )
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        guard let scalar = Unicode.Scalar(value) else {
            throw PredicateSyntaxError(
                "These digits name no Unicode scalar; write one outside 16 bits as \\U and 8 digits.",
                at: start)
        }
        return scalar
    }
}

/// What is wrong with a predicate's text, and where, counted in Unicode scalars.
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
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }

    /// Whether a bare name can begin with the scalar.
    var startsName: Bool { self == "_" || properties.isIDStart }

    /// Whether the scalar can stand in a bare name.
    var continuesName: Bool { self == "_" || properties.isIDContinue }
}
