/// A pattern of check ids, in which `*` matches any characters.
struct IDPattern {
    private let pieces: [Substring]

    init(_ text: String) {
        pieces = text.split(separator: "*", omittingEmptySubsequences: false)
    }

    /// Whether the pattern matches the id, or the id without its variant.
    ///
    /// For example, `crud/set-nil-clears` also matches `crud/set-nil-clears@reopened`.
    func matches(_ id: String) -> Bool {
        matches(whole: id[...]) || matches(whole: id.prefix { $0 != "@" })
    }

    private func matches(whole id: Substring) -> Bool {
        guard let first = pieces.first, let last = pieces.last, id.hasPrefix(first) else {
            return false
        }
        if pieces.count == 1 { return id == first }
        var rest = id.dropFirst(first.count)
        for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
            guard let found = rest.firstRange(of: piece) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.hasSuffix(last)
    }
}
