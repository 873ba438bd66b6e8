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
    ///
    /// - Throws: What the subject throws.
    public func matches(_ subject: some PredicateSubject) throws(DataStoreError) -> Bool {
        try matches(try value(of: left, for: subject)) { () throws(DataStoreError) in
            try value(of: right, for: subject)
        }
    }

    /// Whether a value fulfils the comparison in the place of its left side, for a comparison of anything with a
    /// constant.
    ///
    /// Without the detour over a subject, for stores that have the one value at hand.
    public func matches(left value: DataStoreValue) -> Bool {
        matches(reading.read(value)) {
            switch right {
            case .constant(let value): value
            case .members(let members): .array(members.elements)
            case .pattern(let pattern): .string(pattern.text)
            case .computed: .null
            }
        }
    }

    private func matches<Failure: Error>(
        _ left: DataStoreValue, _ right: () throws(Failure) -> DataStoreValue
    ) throws(Failure) -> Bool {
        switch comparison.modifier {
        case .direct: return try test(left, right)
        case .any:
            guard case .array(let elements) = left else { return false }
            for element in elements where try test(element, right) { return true }
            return false
        }
    }

    private func test<Failure: Error>(
        _ left: DataStoreValue, _ right: () throws(Failure) -> DataStoreValue
    ) throws(Failure) -> Bool {
        switch comparison.operator {
        case .equal: return left.isEqual(to: try right())
        case .notEqual: return !left.isEqual(to: try right())
        case .less: return left.order(against: try right()) == .ascending
        case .greater: return left.order(against: try right()) == .descending
        case .lessOrEqual:
            let order = left.order(against: try right())
            return order == .ascending || order == .same
        case .greaterOrEqual:
            let order = left.order(against: try right())
            return order == .descending || order == .same
        case .between:
            guard case .array(let bounds) = try right(), bounds.count == 2,
                let lower = left.order(against: bounds[0]),
                let upper = left.order(against: bounds[1])
            else { return false }
            return lower != .ascending && upper != .descending
        case .in:
            if case .members(let members) = self.right { return members.contains(left) }
            switch try right() {
            case .array(let elements): return elements.contains { $0.isEqual(to: left) }
            case .string(let text):
                guard case .string(let part) = left else { return false }
                return TextPattern(part).isContained(in: text)
            default: return false
            }
        case .contains:
            if case .array(let elements) = left {
                let element = try right()
                return elements.contains { $0.isEqual(to: element) }
            }
            return try text(left, right) { $0.isContained(in: $1) }
        case .beginsWith: return try text(left, right) { $0.isPrefix(of: $1) }
        case .endsWith: return try text(left, right) { $0.isSuffix(of: $1) }
        }
    }

    private func text<Failure: Error>(
        _ left: DataStoreValue, _ right: () throws(Failure) -> DataStoreValue,
        _ matches: (TextPattern, String) -> Bool
    ) throws(Failure) -> Bool {
        guard case .string(let text) = left else { return false }
        if case .pattern(let pattern) = self.right { return matches(pattern, text) }
        guard case .string(let part) = try right() else { return false }
        return matches(TextPattern(part), text)
    }

    private static func operand(
        _ expression: DataStorePredicate.Expression, _ reading: Reading
    ) -> Operand {
        if case .value(let value) = expression { return .constant(reading.read(value)) }
        return .computed(expression)
    }

    private func value(
        of operand: Operand, for subject: some PredicateSubject
    ) throws(DataStoreError) -> DataStoreValue {
        switch operand {
        case .constant(let value): value
        case .members(let members): .array(members.elements)
        case .pattern(let pattern): .string(pattern.text)
        case .computed(let expression):
            reading.read(try Self.value(of: expression, for: subject))
        }
    }

    private static func value(
        of expression: DataStorePredicate.Expression, for subject: some PredicateSubject
    ) throws(DataStoreError) -> DataStoreValue {
        switch expression {
        case .value(let value): return value
        case .path(let path): return try subject.value(at: path)
        case .list(let parts):
            var values: [DataStoreValue] = []
            for part in parts { values.append(try value(of: part, for: subject)) }
            return .array(values)
        case .count(let path):
            switch try subject.value(at: path) {
            case .array(let elements): return .int(Int64(elements.count))
            case .dictionary(let values): return .int(Int64(values.count))
            default: return .null
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
