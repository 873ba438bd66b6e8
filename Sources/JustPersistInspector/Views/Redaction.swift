import JustPersist

/// The attributes whose values are not shown.
struct Redaction: Sendable {
    /// The names of a type and of its attributes and relationships; each list begins with the present name.
    struct TypeNames: Sendable, Hashable {
        let type: [String]
        let members: [[String]]
    }

    /// The present and former names that are hidden, by type; `*` if all of a type are.
    private let hidden: [String: Set<String>]
    /// The present and former names of all types' members.
    private let known: Set<String>
    /// The names of all types at the start.
    private let types: Set<TypeNames>

    /// - Parameter patterns: `Type.attribute`, or `Type.*` for all attributes of a type.
    init(_ patterns: [String], types: [TypeNames]) throws(DataStoreError) {
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
            let name = String(pattern[pattern.index(after: dot)...])
            let named = types.filter { $0.type.contains(String(pattern[..<dot])) }
            let found = named.filter { type in
                let members = type.members.filter { name == "*" || $0.contains(name) }
                if name != "*" && members.isEmpty { return false }
                hidden[type.type[0], default: []].formUnion(
                    members.joined() + (name == "*" ? [name] : []))
                return true
            }
            // A mistake in a name must not show what was to be hidden.
            if found.isEmpty {
                let names = named.isEmpty ? types.map(\.type) : named.flatMap(\.members)
                throw DataStoreError(
                    .invalidRequest, in: "inspect",
                    "There is nothing to hide under “\(pattern)”. The \(named.isEmpty ? "types are" : "names of this type are") \(Set(names.map { $0[0] }).sorted().joined(separator: ", "))."
                )
            }
        }
        self.hidden = hidden
        known = Set(types.flatMap { $0.members.joined() })
        self.types = Set(types)
    }

    /// Throws if a name of a type or an attribute has changed or appeared since the start.
    ///
    /// A program may have renamed an attribute that was to be hidden, or merged it into another one.
    func checkNames(
        _ db: borrowing some DataStoreReadAccessor & ~Copyable
    ) throws(DataStoreError) {
        if isEmpty { return }
        for type in try StoreView.names(db) where !types.contains(type) {
            throw DataStoreError(
                .invalidRequest, in: "inspect",
                """
                The names of “\(type.type[0])” have changed since the inspector was started, and values that --redact hides may \
                have another name now. Start the inspector again.
                """, itemType: type.type[0])
        }
    }

    /// Whether an attribute is hidden, under its present or a former name.
    func hides(_ attribute: String, of type: String) -> Bool {
        guard let names = hidden[type] else { return false }
        return names.contains(attribute) || names.contains("*")
    }

    func hidesAny(of type: String) -> Bool { hidden[type] != nil }

    /// Whether anything is hidden.
    var isEmpty: Bool { hidden.isEmpty }

    /// Throws if a predicate would reveal a hidden value by the items that it finds.
    ///
    /// Only the first name of a path from the item itself has a known type. Every other name is refused if it is hidden in
    /// any type: those along references, of a SUBQUERY's variable, of elements and of constants.
    func check(_ predicate: DataStorePredicate, of type: String) throws(DataStoreError) {
        if isEmpty { return }
        func check(
            _ path: DataStorePredicate.AttributePath, isOfItem: Bool
        ) throws(DataStoreError) {
            for (place, name) in path.components.enumerated()
            where isOfItem && place == 0 ? hides(name, of: type) : isHiddenAnywhere(name) {
                throw refusal(name, of: type)
            }
        }
        _ = try predicate.mapExpressions { (expression, bound) throws(DataStoreError) in
            switch expression {
            case .path(let path), .count(let path):
                try check(path, isOfItem: bound.isEmpty)
            case .keyPath(of: _, let path): try check(path, isOfItem: false)
            default: break
            }
            return expression
        }
    }

    /// Also for a name that has appeared since the start, if everything of some type is hidden.
    private func isHiddenAnywhere(_ name: String) -> Bool {
        hidden.values.contains {
            $0.contains(name) || ($0.contains("*") && !known.contains(name))
        }
    }

    func refusal(_ attribute: String, of type: String) -> DataStoreError {
        DataStoreError(
            .invalidRequest, in: "inspect",
            "“\(attribute)” is hidden by --redact, and cannot be used here.", itemType: type,
            attribute: attribute)
    }
}

extension StoreView {
    /// The names that a store has now.
    static func names(
        _ db: borrowing some DataStoreReadAccessor & ~Copyable
    ) throws(DataStoreError) -> [Redaction.TypeNames] {
        var names: [Redaction.TypeNames] = []
        for schema in try db.schemas() {
            let relations = try db.relations(ofType: schema.itemTypeKey).map(\.schema)
            names.append(
                Redaction.TypeNames(
                    type: [schema.itemTypeKey] + schema.formerTypeKeys,
                    members: schema.attributes.map { [$0.name] + $0.formerNames }
                        + relations.map { [$0.name] + $0.formerNames }))
        }
        return names
    }
}
