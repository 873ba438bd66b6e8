import JustPersist

/// The attributes that may be named in a query of one type.
struct KnownAttributes {
    private let itemType: String
    private let names: [String]

    init(_ schema: ItemSchema) {
        itemType = schema.itemTypeKey
        names = schema.attributes.map(\.name)
    }

    /// Throws if a key path, with dots into dictionaries, begins with no attribute.
    func check(path: String, in option: String) throws {
        try check(String(path.prefix { $0 != "." }), in: option)
    }

    /// Throws if a predicate asks for something that is no attribute.
    func check(_ predicate: DataStorePredicate) throws {
        for path in predicate.paths {
            if let name = path.components.first { try check(name, in: "--where") }
        }
    }

    private func check(_ name: String, in option: String) throws {
        if names.contains(name) || [name] == DataStorePredicate.AttributePath.uniqueToken.components
        {
            return
        }
        let near = names.filter { name.isNear($0) }
        let advice =
            near.isEmpty
            ? "Its attributes are \(names.listed)." : "Did you mean \(near.listed)?"
        throw DataStoreError(
            .unknownAttribute, in: "query",
            "“\(itemType)” has no attribute “\(name)”, which \(option) asks for. \(advice)",
            itemType: itemType, attribute: name)
    }
}

extension [String] {
    /// The names in quotes, as many as a line may hold.
    var listed: String {
        let shown = prefix(20).map { "“\($0)”" }.joined(separator: ", ")
        return count > 20 ? shown + " and \(count - 20) more" : shown
    }
}

extension String {
    /// Whether one is in the other, or they differ in few letters; in any case.
    fileprivate func isNear(_ other: String) -> Bool {
        let a = lowercased()
        let b = other.lowercased()
        if a.count > 2, b.count > 2, a.contains(b) || b.contains(a) { return true }
        return a.distance(to: b) <= Swift.min(2, a.count / 3)
    }

    /// The number of letters to insert, remove or replace (Levenshtein's distance).
    private func distance(to other: String) -> Int {
        let letters = Array(other)
        var row = Array(0...letters.count)
        for (i, letter) in enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for j in letters.indices {
                let replaced = diagonal + (letters[j] == letter ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = Swift.min(row[j] + 1, row[j + 1] + 1, replaced)
            }
        }
        return row[letters.count]
    }
}
