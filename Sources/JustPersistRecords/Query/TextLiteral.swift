import JustPersist

/// The text with which everything begins that a pattern matches.
///
/// Of letters that are their own composed form, whatever follows them.
struct TextLiteral {
    let text: String
    /// Whether the pattern matches every text that begins so.
    let isFollowedByAnything: Bool

    /// What a pattern of LIKE begins with; `nil` for nothing.
    init?(like pattern: String, ignoresCase: Bool) {
        var text = String.UnicodeScalarView()
        var isEscaped = false
        var rest = pattern.composed.unicodeScalars[...]
        // Folding may make other letters of those beyond ASCII.
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

    /// What a regular expression begins with; `nil` for nothing.
    init?(expression pattern: String) {
        var letters = pattern.composed.unicodeScalars.prefix(while: Self.isPlain)
        let rest = pattern.composed.unicodeScalars.dropFirst(letters.count)
        // The last letter may be repeated, or missing.
        if let next = rest.first, "*?+{".unicodeScalars.contains(next) {
            letters = letters.dropLast()
        }
        // An alternative may begin otherwise.
        if letters.isEmpty || rest.contains("|") { return nil }
        text = String(letters)
        isFollowedByAnything = false
    }

    /// Whether a scalar of a regular expression stands for itself alone.
    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", " ", "_", "-", ",", ":", ";", "/", "@", "%", "&",
            "=", "<", ">", "!", "~", "'", "\"":
            true
        default: false
        }
    }
}
