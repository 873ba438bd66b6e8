extension DataStorePredicate {
    /// One side of a comparison.
    ///
    /// More cases may come with new releases, so a `switch` in another module needs a default.
    public enum Expression: Sendable, Hashable {
        /// A constant.
        case value(DataStoreValue)
        /// What the item has at a path.
        case path(AttributePath)
        /// How many elements the array or dictionary at a path has; null where there is neither.
        case count(AttributePath)
        /// An array of what its parts come to.
        case list([Expression])
    }

    /// Where a value is found: an attribute's name, and names in the dictionaries and references below.
    ///
    /// Through an array a path collects: `grades.score` is the array of the scores of all grades, with
    /// null for a grade without one. Where a path crosses a second array, all values are collected in
    /// one flat array. A name that is not there is null.
    public struct AttributePath: Sendable, Hashable, Codable {
        /// The names, outermost first.
        public let components: [String]

        /// The path of the given names.
        public init(_ components: [String]) { self.components = components }

        /// The path that leads to the item itself, as its id.
        ///
        /// A comparison with a path whose last name is this one compares ids: a UUID, a string that
        /// spells a UUID and a reference stand for the id on either side. Nowhere else does a string
        /// equal a UUID.
        public static let uniqueToken = AttributePath(["uniqueToken"])
    }
}

extension DataStorePredicate.Expression {
    /// The path written with dots, or the count of one where the text ends in `.@count`.
    init(keyPath text: String) throws(DataStoreError) {
        var names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let isCount = names.count > 1 && names.last == "@count"
        if isCount { names.removeLast() }
        if let name = names.first(where: { $0.hasPrefix("@") }) {
            throw DataStoreError(
                .invalidPredicate, in: "predicate",
                "The collection operator “\(name)” is not supported here; only @count is, at the end."
            )
        }
        let path = DataStorePredicate.AttributePath(names)
        if let problem = path.problem {
            throw DataStoreError(.invalidPredicate, in: "predicate", problem)
        }
        self = isCount ? .count(path) : .path(path)
    }

    /// The same, with every list of nothing but values as one value.
    var folded: Self {
        guard case .list(let parts) = self else { return self }
        var values: [DataStoreValue] = []
        let foldedParts = parts.map(\.folded)
        for part in foldedParts {
            guard case .value(let value) = part else { return .list(foldedParts) }
            values.append(value)
        }
        return .value(.array(values))
    }
}

extension DataStorePredicate.AttributePath {
    /// Whether a comparison with this path compares ids.
    var leadsToID: Bool { components.last == Self.uniqueToken.components.last }

    /// What is wrong with the path, if something is.
    var problem: String? {
        if components.isEmpty { return "A key path needs a name." }
        guard components.contains(where: \.isEmpty) else { return nil }
        let text = components.joined(separator: ".")
        return "The key path “\(text)” has an empty name; put a name before and after each dot."
    }
}
