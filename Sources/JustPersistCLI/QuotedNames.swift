/// Names on the command line: plain, or with quotes as in a predicate, #"a,b".
enum QuotedNames {
    /// The parts of a text between separators, without quotes; separators inside quotes do not count.
    ///
    /// Without a separator the whole text is one part. An unclosed quote is an ordinary character. The text after the
    /// last split is left unchanged.
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

    /// Removes a name in quotes from the start of a text.
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
