/// Key paths that lead through relationships to one, such as `\\Book.author?.name`.
extension ItemSchema {
    /// The names of the relationships on a key path and of the property at its end; `nil` if it leads elsewhere.
    ///
    /// - Parameter text: The key path as text, without its root. Key paths cannot be taken apart, but the text of one
    ///   begins with that of its first part. A computed property, as those of items are, is the address of its getter there.
    func names(along text: Substring) -> [String]? {
        for relationship in relationships where !relationship.isToMany {
            guard let property = relationship.keyPath.map({ "\($0)".afterRoot }),
                text.hasPrefix(property), let other = relationship.destinationClass
            else { continue }
            var rest = text.dropFirst(property.count)
            guard rest.hasPrefix("?.") || rest.hasPrefix("!.") else { continue }
            rest = rest.dropFirst(2)
            // From optional chaining.
            if rest.hasSuffix("?") { rest.removeLast() }
            let end = other.schema.property(rest) ?? other.schema.names(along: rest)
            return end.map { [relationship.name] + $0 }
        }
        return nil
    }

    private func property(_ text: Substring) -> [String]? {
        let known =
            attributes.map { ($0.name, $0.keyPath) } + relationships.map { ($0.name, $0.keyPath) }
        return known.first { $0.1.map { "\($0)".afterRoot == text } ?? false }.map { [$0.0] }
    }
}

extension String {
    /// The text of a key path without the type where it begins.
    var afterRoot: Substring { self[(firstIndex(of: ".").map(index(after:)) ?? endIndex)...] }
}
