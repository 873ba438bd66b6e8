/// Number and string literals.
extension PredicateLexer {
    // MARK: Numbers

    /// A number without a sign: decimal, or with a prefix as in the Predicate Programming Guide ("Literals").
    mutating func number() throws(PredicateSyntaxError) -> Kind {
        let start = position
        let kind: Kind
        switch (peek(), peek(1)) {
        case ("0", "x"), ("0", "X"): kind = try whole(radix: 16, "hexadecimal")
        case ("0", "o"), ("0", "O"): kind = try whole(radix: 8, "octal")
        case ("0", "b"), ("0", "B"): kind = try whole(radix: 2, "binary")
        default: kind = try decimal()
        }
        if let scalar = peek(), scalar.continuesName {
            throw PredicateSyntaxError(
                """
                “\(scalar)” cannot follow \(text(from: start)); numbers are decimal, such as 255 or 2.5e3, or begin \
                with 0x, 0o or 0b.
                """,
                at: position)
        }
        return kind
    }

    /// The digits after a prefix of two letters.
    private mutating func whole(radix: Int, _ name: String) throws(PredicateSyntaxError) -> Kind {
        let start = position
        position += 2
        let digits = position
        while let digit = hexadecimalDigit(), digit < UInt32(radix) { position += 1 }
        guard position > digits else {
            throw PredicateSyntaxError("The \(name) number needs a digit here.", at: position)
        }
        guard let value = UInt64(text(from: digits), radix: radix) else {
            throw PredicateSyntaxError(
                "The \(name) number \(text(from: start)) does not fit into 64 bits.", at: start)
        }
        return .int(value)
    }

    private mutating func decimal() throws(PredicateSyntaxError) -> Kind {
        let start = position
        var isWhole = true
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
        let text = text(from: start)
        if isWhole {
            guard let value = UInt64(text) else { throw Self.tooLarge(text, at: start) }
            return .int(value)
        }
        guard let double = Double(text), double.isFinite else {
            throw PredicateSyntaxError("The number \(text) is too large for a Double.", at: start)
        }
        return .double(double)
    }

    private mutating func skipDigits() {
        while peek()?.isDigit == true { position += 1 }
    }

    private func text(from start: Int) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[start..<position])
        return String(text)
    }

    /// The error for a whole number outside 64 bits.
    static func tooLarge(_ digits: String, at offset: Int) -> PredicateSyntaxError {
        PredicateSyntaxError(
            "The whole number \(digits) does not fit into 64 bits; write decimal(\"\(digits)\").",
            at: offset)
    }

    // MARK: Strings

    mutating func string() throws(PredicateSyntaxError) -> String {
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

    /// The scalar after a backslash.
    private mutating func escaped() throws(PredicateSyntaxError) -> Unicode.Scalar {
        guard let scalar = peek() else {
            throw PredicateSyntaxError("The text ends after a backslash.", at: position)
        }
        if let octal = octalScalar() {
            position += 3
            return octal
        }
        position += 1
        switch scalar {
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "0": return "\0"
        case "x", "X": return try hexadecimal(digits: 2, after: scalar)
        case "u": return try hexadecimal(digits: 4, after: scalar)
        // In the guide, `\U` also takes four digits, which cannot express scalars beyond 16 bits.
        case "U": return try hexadecimal(digits: hasEightDigits ? 8 : 4, after: scalar)
        default: return scalar
        }
    }

    /// The scalar of three octal digits, if they follow.
    private func octalScalar() -> Unicode.Scalar? {
        var value: UInt32 = 0
        for distance in 0..<3 {
            guard let digit = hexadecimalDigit(distance), digit < 8 else { return nil }
            value = value << 3 | digit
        }
        return Unicode.Scalar(value)
    }

    private var hasEightDigits: Bool { (0..<8).allSatisfy { hexadecimalDigit($0) != nil } }

    private func hexadecimalDigit(_ distance: Int = 0) -> UInt32? {
        guard let scalar = peek(distance), scalar.isASCII else { return nil }
        return Character(scalar).hexDigitValue.map(UInt32.init)
    }

    private mutating func hexadecimal(
        digits: Int, after letter: Unicode.Scalar
    ) throws(PredicateSyntaxError) -> Unicode.Scalar {
        let start = position
        var value: UInt32 = 0
        for _ in 0..<digits {
            guard let digit = hexadecimalDigit() else {
                throw PredicateSyntaxError(
                    "\\\(letter) needs \(digits) hexadecimal digits.", at: position)
            }
            value = value << 4 | digit
            position += 1
        }
        if digits == 4, let whole = lowSurrogate(after: value) { return whole }
        guard let scalar = Unicode.Scalar(value) else {
            throw PredicateSyntaxError(
                "These digits name no Unicode scalar; write one outside 16 bits as \\U and 8 digits.",
                at: start)
        }
        return scalar
    }

    /// The scalar of a surrogate pair, as in JSON, if a low surrogate follows the high one.
    private mutating func lowSurrogate(after high: UInt32) -> Unicode.Scalar? {
        guard (0xD800..<0xDC00).contains(high), peek() == "\\", peek(1) == "u" else { return nil }
        var low: UInt32 = 0
        for distance in 2..<6 {
            guard let digit = hexadecimalDigit(distance) else { return nil }
            low = low << 4 | digit
        }
        guard (0xDC00..<0xE000).contains(low) else { return nil }
        position += 6
        return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
    }
}
