/// Names as they are written on the command line: plainly, or with quotes as in a predicate, #"a,b".
enum QuotedNames {
    /// The parts of a text between separators, of which those inside quotes are parts of names; without the quotes.
    ///
    /// Without a separator the whole text is one part. A quote that is not closed is a character as any other. What
    /// follows the last split stays as it is written.
    static func parts(
        of text: String, separatedBy separator: Character? = nil, maxSplits: Int = .max
    ) -> [String] {
        var (parts, part) = ([String](), "")
        var rest = text[...]
        while let character = rest.first {
            if let name = quotedName(&rest) {
                part += name
                continue
            }
            rest.removeFirst()
            guard character == separator else {
                part.append(character)
                continue
            }
            parts.append(part)
            part = ""
            if parts.count == maxSplits { return parts + [String(rest)] }
        }
        return parts + [part]
    }

    /// Takes a name in quotes from the start of a text.
    private static func quotedName(_ text: inout Substring) -> String? {
        guard text.hasPrefix("#\"") else { return nil }
        var (name, rest) = ("", text.dropFirst(2))
        while let character = rest.popFirst() {
            if character == "\"" {
                text = rest
                return name
            }
            guard character == "\\" else {
                name.append(character)
                continue
            }
            if let escaped = rest.popFirst() { name.append(escaped) }
        }
        return nil
    }
}
