import Foundation
import JustPersist

/// Matches texts with patterns.
enum ReferencePattern {
    /// Whether a text matches a pattern with `*` and `?`, by a table of all their prefixes.
    static func isLike(_ text: String, _ pattern: String) -> Bool {
        if text == pattern, !pattern.contains("\\") { return true }
        let text = ReferenceText.scalars(text)
        var signs: [(scalar: Unicode.Scalar, isEscaped: Bool)] = []
        var rest = ReferenceText.scalars(pattern)[...]
        while let scalar = rest.popFirst() {
            if scalar == "\\", let next = rest.popFirst() {
                signs.append((next, true))
            } else {
                signs.append((scalar, scalar == "\\"))
            }
        }
        // Whether the text's first n scalars match the pattern so far.
        var row = [true] + text.map { _ in false }
        for (scalar, isEscaped) in signs {
            var next = row.map { _ in false }
            for length in 0...text.count {
                if scalar == "*", !isEscaped {
                    next[length] = row[length] || (length > 0 && next[length - 1])
                } else if length > 0, row[length - 1] {
                    next[length] = scalar == "?" && !isEscaped || text[length - 1] == scalar
                }
            }
            row = next
        }
        return row[text.count]
    }

    /// Whether a whole text matches a regular expression.
    ///
    /// The kit uses no expression that takes long.
    static func matches(
        _ text: String, _ pattern: String, _ options: DataStorePredicate.Options
    ) -> Bool {
        let isFolded = !options.contains(.normalized)
        let ignored: DataStorePredicate.Options =
            isFolded && options.contains(.diacriticInsensitive) ? .diacriticInsensitive : []
        func read(_ text: String) -> String {
            let composed = String(String.UnicodeScalarView(ReferenceText.scalars(text)))
            return ReferenceText.folded(composed, ignored)
        }
        let text = read(text)
        let range = NSRange(location: 0, length: text.utf16.count)
        // An open quotation or comment must be ended before the group can be closed.
        for end in [")\\z", "\\E)\\z", "\n)\\z"] {
            let expression = try? NSRegularExpression(
                pattern: "^(?:" + read(pattern) + end,
                options: isFolded && options.contains(.caseInsensitive) ? .caseInsensitive : [])
            if let expression { return expression.firstMatch(in: text, range: range) != nil }
        }
        return false
    }
}
