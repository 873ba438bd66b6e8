/// A comparison made ready to be evaluated on many subjects: its constants are folded and hashed once.
public struct PreparedComparison: Sendable {
    /// The comparison that was prepared.
    public let comparison: DataStorePredicate.Comparison

    private let left: Operand
    private let right: Operand
    private let reading: Reading

    private enum Operand: Sendable {
        case constant(DataStoreValue)
        /// The elements of a constant list, for IN.
        case members(ValueSet)
        /// A constant string, for the text operators.
        case pattern(TextPattern)
        case computed(DataStorePredicate.Expression)
    }

    /// Prepares a comparison.
    public init(_ comparison: DataStorePredicate.Comparison) {
        self.comparison = comparison
        reading = Reading(comparison)
        left = Self.operand(comparison.left, reading)
        right =
            switch (comparison.operator, Self.operand(comparison.right, reading)) {
            case (.in, .constant(.array(let values))): .members(ValueSet(values))
            case (.beginsWith, .constant(.string(let text))),
                (.endsWith, .constant(.string(let text))),
                (.contains, .constant(.string(let text))):
                .pattern(TextPattern(text))
            case (_, let operand): operand
            }
    }

    /// Whether the subject fulfils the comparison.
    public func matches(_ subject: some PredicateSubject) -> Bool {
        let left = value(of: left, for: subject)
        switch comparison.modifier {
        case .direct: return test(left, subject)
        case .any:
            guard case .array(let elements) = left else { return false }
            return elements.contains { test($0, subject) }
        }
    }

    private func test(_ left: DataStoreValue, _ subject: some PredicateSubject) -> Bool {
        switch comparison.operator {
        case .equal: return left.isEqual(to: value(of: right, for: subject))
        case .notEqual: return !left.isEqual(to: value(of: right, for: subject))
        case .less: return order(left, subject) == .ascending
        case .greater: return order(left, subject) == .descending
        case .lessOrEqual:
            let order = order(left, subject)
            return order == .ascending || order == .same
        case .greaterOrEqual:
            let order = order(left, subject)
            return order == .descending || order == .same
        case .between:
            guard case .array(let bounds) = value(of: right, for: subject), bounds.count == 2,
                let lower = left.order(against: bounds[0]),
                let upper = left.order(against: bounds[1])
            else { return false }
            return lower != .ascending && upper != .descending
        case .in:
            if case .members(let members) = right { return members.contains(left) }
            switch value(of: right, for: subject) {
            case .array(let elements): return elements.contains { $0.isEqual(to: left) }
            case .string(let text):
                guard case .string(let part) = left else { return false }
                return TextPattern(part).isContained(in: text)
            default: return false
            }
        case .contains:
            if case .array(let elements) = left {
                let element = value(of: right, for: subject)
                return elements.contains { $0.isEqual(to: element) }
            }
            return text(left, subject) { $0.isContained(in: $1) }
        case .beginsWith: return text(left, subject) { $0.isPrefix(of: $1) }
        case .endsWith: return text(left, subject) { $0.isSuffix(of: $1) }
        }
    }

    private func order(
        _ left: DataStoreValue, _ subject: some PredicateSubject
    ) -> ValueOrder? {
        left.order(against: value(of: right, for: subject))
    }

    private func text(
        _ left: DataStoreValue, _ subject: some PredicateSubject,
        _ matches: (TextPattern, String) -> Bool
    ) -> Bool {
        guard case .string(let text) = left else { return false }
        if case .pattern(let pattern) = right { return matches(pattern, text) }
        guard case .string(let part) = value(of: right, for: subject) else { return false }
        return matches(TextPattern(part), text)
    }

    private static func operand(
        _ expression: DataStorePredicate.Expression, _ reading: Reading
    ) -> Operand {
        if case .value(let value) = expression { return .constant(reading.read(value)) }
        return .computed(expression)
    }

    private func value(of operand: Operand, for subject: some PredicateSubject) -> DataStoreValue {
        switch operand {
        case .constant(let value): value
        case .members(let members): .array(members.elements)
        case .pattern(let pattern): .string(pattern.text)
        case .computed(let expression):
            reading.read(Self.value(of: expression, for: subject))
        }
    }

    private static func value(
        of expression: DataStorePredicate.Expression, for subject: some PredicateSubject
    ) -> DataStoreValue {
        switch expression {
        case .value(let value): value
        case .path(let path): subject.value(at: path)
        case .list(let parts): .array(parts.map { value(of: $0, for: subject) })
        case .count(let path):
            switch subject.value(at: path) {
            case .array(let elements): .int(Int64(elements.count))
            case .dictionary(let values): .int(Int64(values.count))
            default: .null
            }
        }
    }
}

/// What a comparison sees of its values: folded strings, ids instead of their other spellings.
private struct Reading: Sendable {
    private let options: DataStorePredicate.Options
    private let comparesIDs: Bool

    init(_ comparison: DataStorePredicate.Comparison) {
        options = comparison.options
        comparesIDs = [comparison.left, comparison.right].contains {
            if case .path(let path) = $0 { path.leadsToID } else { false }
        }
    }

    func read(_ value: DataStoreValue) -> DataStoreValue {
        if !comparesIDs && options.isEmpty { return value }
        switch value {
        case .string(let text):
            if comparesIDs, let id = ItemID(text) { return .uuid(id.uuid) }
            return .string(options.isEmpty ? text : text.folded(options))
        case .reference(let reference) where comparesIDs: return .uuid(reference.id.uuid)
        case .array(let values): return .array(values.map(read))
        default: return value
        }
    }
}
