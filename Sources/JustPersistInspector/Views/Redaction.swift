import JustPersist

/// The attributes whose values are not shown.
struct Redaction: Sendable {
    private let hidden: [String: Set<String>]

    /// - Parameter patterns: `Type.attribute`, or `Type.*` for all attributes of a type.
    init(_ patterns: [String]) throws(DataStoreError) {
        var hidden: [String: Set<String>] = [:]
        for pattern in patterns {
            guard let dot = pattern.lastIndex(of: "."), dot > pattern.startIndex,
                pattern.index(after: dot) < pattern.endIndex
            else {
                throw DataStoreError(
                    .invalidRequest, in: "inspect",
                    "“\(pattern)” names no attribute to hide. Write TYPE.ATTRIBUTE, or TYPE.* for all of a type."
                )
            }
            hidden[String(pattern[..<dot]), default: []].insert(
                String(pattern[pattern.index(after: dot)...]))
        }
        self.hidden = hidden
    }

    func hides(_ attribute: String, of type: String) -> Bool {
        guard let names = hidden[type] else { return false }
        return names.contains(attribute) || names.contains("*")
    }

    func hidesAny(of type: String) -> Bool { hidden[type] != nil }

    /// Whether anything is hidden.
    var isEmpty: Bool { hidden.isEmpty }

    /// Throws if an expression would reveal a hidden value by the items that it finds.
    ///
    /// Along a path through references the types are not known, so that each name counts that is hidden anywhere.
    func check(
        _ paths: [DataStorePredicate.AttributePath], of type: String
    ) throws(DataStoreError) {
        for path in paths {
            for (place, name) in path.components.enumerated()
            where place == 0
                ? hides(name, of: type)
                : hidden.values.contains(where: { $0.contains(name) || $0.contains("*") })
            {
                throw refusal(name, of: type)
            }
        }
    }

    func refusal(_ attribute: String, of type: String) -> DataStoreError {
        DataStoreError(
            .invalidRequest, in: "inspect",
            "“\(attribute)” is hidden by --redact, and cannot be used here.", itemType: type,
            attribute: attribute)
    }
}
