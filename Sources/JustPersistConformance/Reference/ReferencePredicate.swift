package import JustPersist

/// Whether rows fulfil a predicate: the meaning of each operator, written out.
package struct ReferencePredicate {
    /// What a row has at an attribute of its own, and what another item has that a reference leads to.
    package struct Subject {
        package var value: (_ attribute: String) -> DataStoreValue
        package var valueOfOther: (_ attribute: String, ItemReference) -> DataStoreValue

        /// A subject that finds values by these functions.
        package init(
            value: @escaping (_ attribute: String) -> DataStoreValue,
            valueOfOther: @escaping (_ attribute: String, ItemReference) -> DataStoreValue
        ) {
            self.value = value
            self.valueOfOther = valueOfOther
        }
    }

    /// Whether a subject fulfils a predicate.
    package static func matches(_ predicate: DataStorePredicate, _ subject: Subject) -> Bool {
        switch predicate {
        case .constant(let value): value
        case .comparison(let comparison): matches(comparison, subject)
        case .and(let parts): parts.allSatisfy { matches($0, subject) }
        case .or(let parts): parts.contains { matches($0, subject) }
        case .not(let part): !matches(part, subject)
        }
    }

    private static func matches(
        _ comparison: DataStorePredicate.Comparison, _ subject: Subject
    ) -> Bool {
        let left = read(comparison.left, in: comparison, subject)
        let right = read(comparison.right, in: comparison, subject)
        switch comparison.modifier {
        case .direct: return holds(comparison.operator, left, right)
        case .any:
            guard case .array(let elements) = left else { return false }
            return elements.contains { holds(comparison.operator, $0, right) }
        }
    }

    private static func holds(
        _ relation: DataStorePredicate.Operator, _ left: DataStoreValue, _ right: DataStoreValue
    ) -> Bool {
        var order: ValueOrder? { ReferenceOrder.order(left, right) }
        switch relation {
        case .equal: return ReferenceOrder.isEqual(left, right)
        case .notEqual: return !ReferenceOrder.isEqual(left, right)
        case .less: return order == .ascending
        case .lessOrEqual: return order == .ascending || order == .same
        case .greater: return order == .descending
        case .greaterOrEqual: return order == .descending || order == .same
        case .between:
            guard case .array(let bounds) = right, bounds.count == 2 else { return false }
            return holds(.greaterOrEqual, left, bounds[0])
                && holds(.lessOrEqual, left, bounds[1])
        case .in:
            if case .array(let elements) = right {
                return elements.contains { ReferenceOrder.isEqual(left, $0) }
            }
            return has(right, left, at: .anywhere)
        case .contains:
            if case .array(let elements) = left {
                return elements.contains { ReferenceOrder.isEqual($0, right) }
            }
            return has(left, right, at: .anywhere)
        case .beginsWith: return has(left, right, at: .start)
        case .endsWith: return has(left, right, at: .end)
        }
    }

    private static func has(
        _ text: DataStoreValue, _ part: DataStoreValue, at place: ReferenceText.Place
    ) -> Bool {
        guard case .string(let text) = text, case .string(let part) = part else { return false }
        return ReferenceText.has(text, part, at: place)
    }

    // MARK: Operands

    /// What one side of a comparison comes to, as the comparison sees it.
    private static func read(
        _ expression: DataStorePredicate.Expression,
        in comparison: DataStorePredicate.Comparison, _ subject: Subject
    ) -> DataStoreValue {
        let comparesIDs = leadsToID(comparison.left) || leadsToID(comparison.right)
        return seen(value(of: expression, subject), comparison.options, comparesIDs)
    }

    private static func value(
        of expression: DataStorePredicate.Expression, _ subject: Subject
    ) -> DataStoreValue {
        switch expression {
        case .value(let value): value
        case .path(let path): value(at: path, subject)
        case .list(let parts): .array(parts.map { value(of: $0, subject) })
        case .count(let path):
            switch value(at: path, subject) {
            case .array(let elements): .int(Int64(elements.count))
            case .dictionary(let entries): .int(Int64(entries.count))
            default: .null
            }
        }
    }

    private static func value(
        at path: DataStorePredicate.AttributePath, _ subject: Subject
    ) -> DataStoreValue {
        guard let first = path.components.first else { return .null }
        return path.components.dropFirst().reduce(subject.value(first)) { value, name in
            step(from: value, to: name, subject)
        }
    }

    private static func step(
        from value: DataStoreValue, to name: String, _ subject: Subject
    ) -> DataStoreValue {
        switch value {
        case .dictionary(let entries): return entries[name] ?? .null
        case .reference(let reference): return subject.valueOfOther(name, reference)
        case .array(let elements):
            return .array(
                elements.flatMap { element -> [DataStoreValue] in
                    let inner = step(from: element, to: name, subject)
                    if case .array(let values) = inner { return values }
                    return [inner]
                })
        default: return .null
        }
    }

    private static func leadsToID(_ expression: DataStorePredicate.Expression) -> Bool {
        guard case .path(let path) = expression else { return false }
        return path.components.last == "uniqueToken"
    }

    /// A value as a comparison sees it: strings folded by its options, and where ids are compared all that
    /// stands for an id as one.
    private static func seen(
        _ value: DataStoreValue, _ options: DataStorePredicate.Options, _ comparesIDs: Bool
    ) -> DataStoreValue {
        if options.isEmpty, !comparesIDs { return value }
        switch value {
        case .string(let text):
            if comparesIDs, let id = ItemID(text) { return .uuid(id.uuid) }
            return .string(ReferenceText.folded(text, options))
        case .reference(let reference) where comparesIDs: return .uuid(reference.id.uuid)
        case .array(let values): return .array(values.map { seen($0, options, comparesIDs) })
        default: return value
        }
    }
}
