import Foundation
package import JustPersist

/// Evaluates a predicate on rows, with a direct implementation of each operator.
package struct ReferencePredicate {
    /// The access to the values of a row, and of the items that its references lead to.
    package struct Subject {
        package var value: (_ attribute: String) -> DataStoreValue
        package var valueOfOther: (_ attribute: String, ItemReference) -> DataStoreValue
        /// The values of the variables of SUBQUERY.
        var variables: [String: DataStoreValue] = [:]
        /// The value of `now()`.
        let now = Date()
        /// The subject as an item of a class, if it is one.
        package var item: ((any DataStoreItem.Type) throws(DataStoreError) -> any DataStoreItem)?
        /// The first error.
        package let failure = Failure()

        /// A subject that finds values by these functions.
        package init(
            value: @escaping (_ attribute: String) -> DataStoreValue,
            valueOfOther: @escaping (_ attribute: String, ItemReference) -> DataStoreValue
        ) {
            self.value = value
            self.valueOfOther = valueOfOther
        }
    }

    /// Records the first error of an evaluation, after which the result is meaningless.
    package final class Failure {
        /// The error.
        package private(set) var error: DataStoreError?

        /// Records an error, unless there is one.
        func note(_ error: DataStoreError) { self.error = self.error ?? error }
    }

    /// Whether a subject fulfils a predicate.
    package static func matches(_ predicate: DataStorePredicate, _ subject: Subject) -> Bool {
        switch predicate {
        case .constant(let value): value
        case .comparison(let comparison): matches(comparison, subject)
        case .and(let parts): parts.allSatisfy { matches($0, subject) }
        case .or(let parts): parts.contains { matches($0, subject) }
        case .not(let part): !matches(part, subject)
        case .evaluated(let evaluation): matches(evaluation, subject)
        }
    }

    private static func matches(
        _ evaluation: DataStorePredicate.ItemEvaluation, _ subject: Subject
    ) -> Bool {
        do throws(DataStoreError) {
            guard let item = subject.item else {
                throw DataStoreError(
                    .unsupported, in: "predicate", "There is no item to evaluate \(evaluation) on.")
            }
            return try evaluation.matches(try item(evaluation.itemClass))
        } catch {
            subject.failure.note(error)
            return false
        }
    }

    private static func matches(
        _ comparison: DataStorePredicate.Comparison, _ subject: Subject
    ) -> Bool {
        let left = read(comparison.left, in: comparison, subject)
        let right = read(comparison.right, in: comparison, subject)
        func holds(_ value: DataStoreValue) -> Bool {
            Self.holds(comparison.operator, value, right, comparison.options)
        }
        switch (comparison.modifier, left) {
        case (.direct, _): return holds(left)
        case (.any, .array(let elements)): return elements.contains(where: holds)
        case (.all, .array(let elements)): return elements.allSatisfy(holds)
        // A missing collection counts as an empty one. Any other value is not a collection.
        case (.all, .null): return true
        case (.any, _), (.all, _): return false
        }
    }

    private static func holds(
        _ relation: DataStorePredicate.Operator, _ left: DataStoreValue, _ right: DataStoreValue,
        _ options: DataStorePredicate.Options
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
            return holds(.greaterOrEqual, left, bounds[0], options)
                && holds(.lessOrEqual, left, bounds[1], options)
        case .in:
            switch right {
            case .array(let elements):
                return elements.contains { ReferenceOrder.isEqual(left, $0) }
            case .dictionary(let entries):
                return entries.values.contains { ReferenceOrder.isEqual(left, $0) }
            default: return has(right, left, at: .anywhere, options)
            }
        case .contains:
            if case .array(let elements) = left {
                return elements.contains { ReferenceOrder.isEqual($0, right) }
            }
            return has(left, right, at: .anywhere, options)
        case .beginsWith: return has(left, right, at: .start, options)
        case .endsWith: return has(left, right, at: .end, options)
        case .like:
            guard case .string(let text) = left, case .string(let pattern) = right else {
                return false
            }
            return ReferencePattern.isLike(text, pattern)
        case .matches:
            guard case .string(let text) = left, case .string(let pattern) = right else {
                return false
            }
            return ReferencePattern.matches(text, pattern, options)
        }
    }

    private static func has(
        _ text: DataStoreValue, _ part: DataStoreValue, at place: ReferenceText.Place,
        _ options: DataStorePredicate.Options
    ) -> Bool {
        guard case .string(let text) = text, case .string(let part) = part else { return false }
        if options.contains(.wholeCharacters) {
            return ReferenceText.hasCharacters(text, part, at: place)
        }
        return ReferenceText.has(text, part, at: place)
    }

    // MARK: Operands

    /// The value of an operand, in the form that the comparison uses.
    private static func read(
        _ expression: DataStorePredicate.Expression,
        in comparison: DataStorePredicate.Comparison, _ subject: Subject
    ) -> DataStoreValue {
        let value = ReferenceExpression.value(of: expression, subject)
        // A regular expression reads the options itself.
        if comparison.operator == .matches { return value }
        let comparesIDs = leadsToID(comparison.left) || leadsToID(comparison.right)
        let isRightOfIn = comparison.operator == .in && expression == comparison.right
        return seen(value, comparison.options, comparesIDs, inDictionary: isRightOfIn)
    }

    private static func leadsToID(_ expression: DataStorePredicate.Expression) -> Bool {
        switch expression {
        case .path(let path), .keyPath(of: _, let path): path.components.last == "uniqueToken"
        default: false
        }
    }

    /// A value in the form that a comparison uses: strings are folded by its options, and if ids are compared, every
    /// value that represents an id is converted to one.
    private static func seen(
        _ value: DataStoreValue, _ options: DataStorePredicate.Options, _ comparesIDs: Bool,
        inDictionary: Bool = false
    ) -> DataStoreValue {
        let options = options.contains(.normalized) ? [] : options
        let isFolded = !options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive])
        if !isFolded, !comparesIDs { return value }
        switch value {
        case .string(let text):
            if comparesIDs, let id = ItemID(text) { return .uuid(id.uuid) }
            return .string(ReferenceText.folded(text, options))
        case .reference(let reference) where comparesIDs: return .uuid(reference.id.uuid)
        case .array(let values): return .array(values.map { seen($0, options, comparesIDs) })
        case .dictionary(let entries) where inDictionary:
            return .dictionary(entries.mapValues { seen($0, options, comparesIDs) })
        default: return value
        }
    }
}
