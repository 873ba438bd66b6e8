public import Foundation

/// A comparison prepared for evaluation on many subjects: its constants are evaluated, folded and hashed once.
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
        case like(LikePattern)
        case expression(RegularExpression)
        /// A constant string that is not a regular expression.
        case failure(DataStoreError)
        /// Most sides are of these two kinds, and need no further evaluation.
        case path(DataStorePredicate.AttributePath)
        case computed(PreparedExpression)
    }

    /// Prepares a comparison; `now()` returns the given time, which is that of the request, or else the present.
    public init(_ comparison: DataStorePredicate.Comparison, now: Date? = nil) {
        let now = now ?? Surroundings.date
        self.comparison = comparison
        reading = Reading(comparison)
        left = Self.operand(comparison.left, reading, now)
        right = Self.right(comparison, Self.operand(comparison.right, reading, now), reading)
    }

    private static func operand(
        _ expression: DataStorePredicate.Expression, _ reading: Reading, _ now: Date
    ) -> Operand {
        if case .path(let path) = expression { return .path(path) }
        let prepared = PreparedExpression(expression, now: now)
        return prepared.constant.map { .constant(reading.read($0)) } ?? .computed(prepared)
    }

    /// The right side in the form that the operator uses.
    private static func right(
        _ comparison: DataStorePredicate.Comparison, _ operand: Operand, _ reading: Reading
    ) -> Operand {
        guard case .constant(let constant) = operand else { return operand }
        switch (comparison.operator, constant) {
        case (.in, .array(let values)): return .members(ValueSet(values))
        case (.in, .dictionary(let values)):
            return .members(ValueSet(values.values.map(reading.read)))
        case (.beginsWith, .string(let text)), (.endsWith, .string(let text)),
            (.contains, .string(let text)):
            return .pattern(TextPattern(text))
        case (.like, .string(let text)): return .like(LikePattern(text))
        case (.matches, .string(let text)):
            do throws(DataStoreError) {
                return .expression(try RegularExpression(text, comparison.options))
            } catch {
                return .failure(error)
            }
        default: return operand
        }
    }

    /// Whether the subject fulfils the comparison.
    ///
    /// - Throws: The errors of ``PreparedPredicate/matches(_:)``.
    public func matches(_ subject: some PredicateSubject) throws(DataStoreError) -> Bool {
        var scope = PredicateScope()
        return try matches(subject, &scope)
    }

    func matches(
        _ subject: some PredicateSubject, _ scope: inout PredicateScope
    ) throws(DataStoreError) -> Bool {
        let left = try value(of: left, for: subject, &scope)
        return try matches(left, try value(of: right, for: subject, &scope), &scope)
    }

    /// Whether a value fulfils the comparison as its left side, if the right side is constant.
    ///
    /// This is faster than evaluation on a subject, for stores that have the value already.
    ///
    /// - Throws: `.limitExceeded` for a MATCHES that takes too many steps.
    public func matches(left value: DataStoreValue) throws(DataStoreError) -> Bool {
        var scope = PredicateScope()
        return try matches(reading.read(value), constantRight ?? .null, &scope)
    }

    // MARK: Values

    private func value(
        of operand: Operand, for subject: some PredicateSubject, _ scope: inout PredicateScope
    ) throws(DataStoreError) -> DataStoreValue {
        switch operand {
        case .constant(let value): return value
        case .path(let path):
            let value = try subject.value(at: path)
            if case .array(let elements) = value { try scope.count(elements.count) }
            return reading.read(value)
        case .computed(let expression):
            return reading.read(try expression.value(for: subject, &scope))
        default: return Self.constant(operand) ?? .null
        }
    }

    private var constantRight: DataStoreValue? { Self.constant(right) }

    private static func constant(_ operand: Operand) -> DataStoreValue? {
        switch operand {
        case .constant(let value): value
        case .members(let members): .array(members.elements)
        case .pattern(let pattern): .string(pattern.text)
        case .like(let pattern): .string(pattern.text)
        case .expression(let expression): .string(expression.pattern)
        case .failure, .path, .computed: nil
        }
    }

    // MARK: Relations

    private func matches(
        _ left: DataStoreValue, _ right: DataStoreValue, _ scope: inout PredicateScope
    ) throws(DataStoreError) -> Bool {
        switch comparison.modifier {
        case .direct: return try test(left, right, &scope)
        case .any:
            guard case .array(let elements) = left else { return false }
            try scope.count(elements.count)
            for element in elements where try test(element, right, &scope) { return true }
            return false
        case .all:
            guard case .array(let elements) = left else { return left.isNull }
            try scope.count(elements.count)
            for element in elements where try !test(element, right, &scope) { return false }
            return true
        }
    }

    private func test(
        _ left: DataStoreValue, _ right: DataStoreValue, _ scope: inout PredicateScope
    ) throws(DataStoreError) -> Bool {
        switch comparison.operator {
        case .equal: return left.isEqual(to: right)
        case .notEqual: return !left.isEqual(to: right)
        case .less: return left.order(against: right) == .ascending
        case .greater: return left.order(against: right) == .descending
        case .lessOrEqual:
            let order = left.order(against: right)
            return order == .ascending || order == .same
        case .greaterOrEqual:
            let order = left.order(against: right)
            return order == .descending || order == .same
        case .between:
            guard case .array(let bounds) = right, bounds.count == 2,
                let lower = left.order(against: bounds[0]),
                let upper = left.order(against: bounds[1])
            else { return false }
            return lower != .ascending && upper != .descending
        case .in: return try isMember(left, of: right, &scope)
        case .contains:
            guard case .array(let elements) = left else {
                return try text(left, right) { $0.isContained(in: $1, $2) }
            }
            try scope.count(elements.count)
            return elements.contains { $0.isEqual(to: right) }
        case .beginsWith: return try text(left, right) { $0.isPrefix(of: $1, $2) }
        case .endsWith: return try text(left, right) { $0.isSuffix(of: $1, $2) }
        case .like:
            guard case .string(let text) = left else { return false }
            if case .like(let pattern) = self.right { return pattern.matches(text) }
            guard case .string(let pattern) = right else { return false }
            return LikePattern(pattern).matches(text)
        case .matches:
            if case .failure(let error) = self.right { throw error }
            guard case .string(let text) = left else { return false }
            if case .expression(let expression) = self.right {
                return try expression.matches(text, &scope)
            }
            guard case .string(let pattern) = right else { return false }
            return try RegularExpression(pattern, comparison.options).matches(text, &scope)
        }
    }

    private func isMember(
        _ value: DataStoreValue, of collection: DataStoreValue, _ scope: inout PredicateScope
    ) throws(DataStoreError) -> Bool {
        if case .members(let members) = right { return members.contains(value) }
        switch collection {
        case .array(let elements):
            try scope.count(elements.count)
            return elements.contains { $0.isEqual(to: value) }
        case .dictionary(let entries):
            try scope.count(entries.count)
            return entries.values.contains { reading.read($0).isEqual(to: value) }
        case .string(let text):
            guard case .string(let part) = value else { return false }
            return TextPattern(part).isContained(
                in: text, comparison.options.contains(.wholeCharacters))
        default: return false
        }
    }

    private func text(
        _ left: DataStoreValue, _ right: DataStoreValue,
        _ matches: (TextPattern, String, _ wholeCharacters: Bool) -> Bool
    ) throws(DataStoreError) -> Bool {
        guard case .string(let text) = left else { return false }
        let isWhole = comparison.options.contains(.wholeCharacters)
        if case .pattern(let pattern) = self.right { return matches(pattern, text, isWhole) }
        guard case .string(let part) = right else { return false }
        return matches(TextPattern(part), text, isWhole)
    }
}

extension DataStorePredicate {
    /// The predicate with each side of a comparison that is equal for all items replaced by a constant.
    ///
    /// - Parameter now: The result of `now()`: the time of the request.
    package func evaluatingConstants(now: Date) -> DataStorePredicate {
        mapComparisons { .comparison($0.evaluatingConstants(now: now)) }
    }
}

extension DataStorePredicate.Comparison {
    /// The comparison with each side that is equal for all items replaced by a constant.
    package func evaluatingConstants(now: Date) -> Self {
        func evaluated(
            _ side: DataStorePredicate.Expression
        ) -> DataStorePredicate.Expression {
            switch side {
            case .value, .path, .count: side
            default: PreparedExpression(side, now: now).constant.map { .value($0) } ?? side
            }
        }
        return Self(
            evaluated(left), self.operator, evaluated(right), modifier: modifier, options: options)
    }
}

/// The form in which a comparison reads its values: with folded strings, and with ids in place of their other
/// spellings.
private struct Reading: Sendable {
    private let options: DataStorePredicate.Options
    private let comparesIDs: Bool

    init(_ comparison: DataStorePredicate.Comparison) {
        // A regular expression must not be folded: it applies the options itself.
        let isExpression = comparison.operator == .matches
        options = isExpression ? [] : comparison.options.folding
        comparesIDs =
            !isExpression && (comparison.left.leadsToID || comparison.right.leadsToID)
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
