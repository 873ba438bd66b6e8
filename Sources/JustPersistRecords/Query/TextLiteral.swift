import JustPersist

/// The literal prefix of a pattern: every text that the pattern matches begins with it.
///
/// It consists of letters that are composed already, whatever follows them.
struct TextLiteral {
    let text: String
    /// Whether the pattern matches every text with this prefix.
    let isFollowedByAnything: Bool

    /// The literal prefix of a LIKE pattern; `nil` if there is none.
    init?(like pattern: String, ignoresCase: Bool) {
        var text = String.UnicodeScalarView()
        var isEscaped = false
        var rest = pattern.composed.unicodeScalars[...]
        // Folding may turn letters beyond ASCII into others.
        let end: Unicode.Scalar = ignoresCase ? "\u{80}" : "\u{300}"
        while let scalar = rest.first, scalar < end {
            if !isEscaped, scalar == "*" || scalar == "?" { break }
            rest = rest.dropFirst()
            isEscaped = !isEscaped && scalar == "\\"
            if !isEscaped { text.append(scalar) }
        }
        if text.isEmpty { return nil }
        self.text = String(text)
        isFollowedByAnything = !rest.isEmpty && !isEscaped && rest.allSatisfy { $0 == "*" }
    }

    /// The literal prefix of a regular expression; `nil` if there is none.
    init?(expression pattern: String) {
        var letters = pattern.composed.unicodeScalars.prefix(while: Self.isPlain)
        let rest = pattern.composed.unicodeScalars.dropFirst(letters.count)
        // The last letter may be repeated, or missing.
        if let next = rest.first, "*?+{".unicodeScalars.contains(next) {
            letters = letters.dropLast()
        }
        // An alternative may begin differently.
        if letters.isEmpty || rest.contains("|") { return nil }
        text = String(letters)
        isFollowedByAnything = false
    }

    /// Whether a scalar has no special meaning in a regular expression.
    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", " ", "_", "-", ",", ":", ";", "/", "@", "%", "&",
            "=", "<", ">", "!", "~", "'", "\"":
            true
        default: false
        }
    }
}
