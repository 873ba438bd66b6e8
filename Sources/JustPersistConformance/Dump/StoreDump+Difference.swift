extension StoreDump {
    /// The first differences from the expected dump, one on each line; `nil` if there are none.
    ///
    /// Items are matched by name, so that one missing item produces only one line.
    func difference(from expected: StoreDump, showing limit: Int = 5) -> String? {
        if self == expected { return nil }
        var lines: [String] = []
        for type in Set(types.map(\.name)).union(expected.types.map(\.name)).sorted() {
            lines += Self.differences(in: type, items(of: type), expected.items(of: type))
        }
        let hidden = lines.count - limit
        if hidden > 0 { lines[limit...] = ["and \(hidden) more differences"] }
        return lines.joined(separator: "\n")
    }

    private func items(of type: String) -> [Item] {
        types.first { $0.name == type }?.items ?? []
    }

    private static func differences(
        in type: String, _ items: [Item], _ expected: [Item]
    ) -> [String] {
        var lines: [String] = []
        let found = Dictionary(grouping: items, by: \.name)
        for item in expected {
            guard let match = found[item.name]?.first else {
                lines.append("\(type) \(item.name) is missing")
                continue
            }
            lines += differences(in: "\(type) \(item.name)", match.attributes, item.attributes)
        }
        let known = Set(expected.map(\.name))
        for item in items where !known.contains(item.name) {
            lines.append("\(type) \(item.name) is there and should not be")
        }
        for (name, matches) in found.sorted(by: { $0.key < $1.key }) where matches.count > 1 {
            lines.append("\(type) \(name) is there \(matches.count) times")
        }
        if lines.isEmpty, items.map(\.name) != expected.map(\.name) {
            lines.append(
                """
                \(type): the items come in the order \(items.map(\.name).summary), and not in that of \
                their creation, \(expected.map(\.name).summary)
                """)
        }
        return lines
    }

    private static func differences(
        in place: String, _ attributes: [Attribute], _ expected: [Attribute]
    ) -> [String] {
        let found = texts(of: attributes)
        let wanted = texts(of: expected)
        return Set(found.keys).union(wanted.keys).sorted().compactMap { name in
            let (value, wish) = (found[name] ?? "null", wanted[name] ?? "null")
            if value == wish { return nil }
            let (shown, shownWish) = value.shortened(beside: wish)
            return "\(place), \(name): got \(shown), expected \(shownWish)"
        }
    }

    private static func texts(of attributes: [Attribute]) -> [String: String] {
        Dictionary(
            attributes.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}

extension [String] {
    /// The elements on one line; if there are many, the first ten.
    var summary: String {
        prefix(10).joined(separator: " ") + (count > 10 ? " … (\(count))" : "")
    }
}
