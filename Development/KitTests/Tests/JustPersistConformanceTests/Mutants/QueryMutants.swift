import JustPersist

@testable import JustPersistConformance

/// Stores that find other items than those that fulfil a predicate.
enum QueryMutants {
    static let all: [SabotagedType] = [
        BoundsAreExclusive.self, FindsEmptyText.self, IgnoresOptions.self,
        LooksAtFirstElement.self, FollowsNoPaths.self, TakesAttributesForText.self,
        FindsIDsAsUUIDsOnly.self, CutsLists.self, TakesEmptyListForAll.self,
        ConstantsAreTrue.self, MatchesFirstPartsOnly.self, EmptyCompoundsMatchTheOther.self,
        GivesFiftyAtMost.self, ChecksNoRequest.self, UnknownAttributeIsNil.self,
        UnknownTypeIsAnError.self, FindsNothingByUndeclaredOperators.self,
    ]
}

// MARK: Operators

/// Treats < as <=, and > as >=.
final class BoundsAreExclusive: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["pred/lt-le-gt-ge", "pred/between"] }

    override class func holds(_ comparison: Comparison, _ subject: Subject) -> Bool {
        let isBound: Bool
        switch (comparison.operator, comparison.right) {
        case (.lessOrEqual, let bound), (.greaterOrEqual, let bound):
            isBound = super.holds(Comparison(comparison.left, .equal, bound), subject)
        case (.between, let bounds):
            isBound = super.holds(Comparison(comparison.left, .in, bounds), subject)
        default: isBound = false
        }
        return !isBound && super.holds(comparison, subject)
    }
}

/// Finds the empty text in every text.
final class FindsEmptyText: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["pred/begins-ends-contains"] }

    override class func holds(_ comparison: Comparison, _ subject: Subject) -> Bool {
        if [.beginsWith, .endsWith, .contains].contains(comparison.operator),
            comparison.right == .value(.string(""))
        {
            return value(of: comparison.left, subject).kind == .string
        }
        return super.holds(comparison, subject)
    }
}

/// Does not ignore case and accents when the options require it.
final class IgnoresOptions: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["pred/case-insensitive", "pred/diacritic-insensitive", "pred/whole-characters"]
    }

    override class func holds(_ comparison: Comparison, _ subject: Subject) -> Bool {
        super.holds(
            Comparison(
                comparison.left, comparison.operator, comparison.right,
                modifier: comparison.modifier), subject)
    }
}

/// ANY examines only the first element.
final class LooksAtFirstElement: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["pred/any-all-in-collection"] }

    override class func holds(_ comparison: Comparison, _ subject: Subject) -> Bool {
        guard comparison.modifier == .any else { return super.holds(comparison, subject) }
        var first = subject
        first.value = { name in
            if case .array(let elements) = subject.value(name) {
                return .array(Array(elements.prefix(1)))
            }
            return subject.value(name)
        }
        return super.holds(comparison, first)
    }
}

/// Compares only the first attribute of a path.
final class FollowsNoPaths: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["pred/nested-key-path"] }

    override class func holds(_ comparison: Comparison, _ subject: Subject) -> Bool {
        guard case .path(let path) = comparison.left else {
            return super.holds(comparison, subject)
        }
        let start = DataStorePredicate.AttributePath(Array(path.components.prefix(1)))
        return super.holds(
            Comparison(
                .path(start), comparison.operator, comparison.right,
                modifier: comparison.modifier, options: comparison.options), subject)
    }
}

/// Compares with the name of a second attribute, and not with its value.
final class TakesAttributesForText: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["pred/attribute-against-attribute"] }

    override class func holds(_ comparison: Comparison, _ subject: Subject) -> Bool {
        guard case .path(let path) = comparison.right else {
            return super.holds(comparison, subject)
        }
        let text = DataStoreValue.string(path.components.joined(separator: "."))
        return super.holds(
            Comparison(comparison.left, comparison.operator, .value(text)), subject)
    }
}

/// Finds items by their UUIDs only, and not by the texts of their ids.
final class FindsIDsAsUUIDsOnly: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["pred/by-unique-token"] }

    override class func holds(_ comparison: Comparison, _ subject: Subject) -> Bool {
        guard comparison.left == .path(.uniqueToken),
            value(of: comparison.right, subject).kind == .string
        else { return super.holds(comparison, subject) }
        return comparison.operator == .notEqual
    }
}

/// Examines only the first 999 elements of a list, the most that fit into a statement.
final class CutsLists: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["many/members"] }

    override class func holds(_ comparison: Comparison, _ subject: Subject) -> Bool {
        guard case .value(.array(let elements)) = comparison.right, comparison.operator == .in
        else { return super.holds(comparison, subject) }
        return super.holds(
            Comparison(
                comparison.left, .in, .value(.array(Array(elements.prefix(999)))),
                modifier: comparison.modifier, options: comparison.options), subject)
    }
}

/// Treats an empty list as no condition.
final class TakesEmptyListForAll: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["pred/nil-and-constants"] }

    override class func holds(_ comparison: Comparison, _ subject: Subject) -> Bool {
        comparison.operator == .in && comparison.right == .value(.array([]))
            || super.holds(comparison, subject)
    }
}

// MARK: Logic

/// Treats FALSEPREDICATE as no condition.
final class ConstantsAreTrue: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["pred/nil-and-constants"] }

    override class func matches(_ predicate: DataStorePredicate, _ subject: Subject) -> Bool {
        if case .constant = predicate { return true }
        return super.matches(predicate, subject)
    }
}

/// Examines only the first part of an AND.
final class MatchesFirstPartsOnly: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["pred/and-or-not", "pred/and-is-intersection", "pred/random-predicates", "model/requests"]
    }

    override class func matches(_ predicate: DataStorePredicate, _ subject: Subject) -> Bool {
        guard case .and(let parts) = predicate else { return super.matches(predicate, subject) }
        return parts.prefix(1).allSatisfy { matches($0, subject) }
    }
}

/// An AND of nothing finds nothing.
final class EmptyCompoundsMatchTheOther: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["pred/nil-and-constants"] }

    override class func matches(_ predicate: DataStorePredicate, _ subject: Subject) -> Bool {
        predicate != .and([]) && super.matches(predicate, subject)
    }
}

// MARK: Requests

/// Gives fifty items at most where no limit is asked for.
final class GivesFiftyAtMost: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["pred/nil-and-constants", "size/hundred-thousand-items", "size/large-block-then-small"]
    }

    override class func sliced(_ rows: [ReferenceRow], offset: Int, limit: Int) -> [ReferenceRow] {
        super.sliced(rows, offset: offset, limit: limit == 0 ? 50 : limit)
    }
}

/// Carries out every request, also invalid ones.
final class ChecksNoRequest: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["pred/deeply-nested", "prim/fetch-error"] }

    override class func validate(_ request: DataStoreRequest, _ state: ReferenceState) {}

    override class func sliced(_ rows: [ReferenceRow], offset: Int, limit: Int) -> [ReferenceRow] {
        super.sliced(rows, offset: max(offset, 0), limit: limit)
    }
}

/// Treats an unknown attribute as one without values.
final class UnknownAttributeIsNil: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["pred/unknown-attribute"] }

    override class func validate(
        _ request: DataStoreRequest, _ state: ReferenceState
    ) throws(DataStoreError) {
        do throws(DataStoreError) {
            try super.validate(request, state)
        } catch {
            if error.code != .unknownAttribute { throw error }
        }
    }
}

/// Refuses a request for a type that it has never seen, once it knows others.
final class UnknownTypeIsAnError: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["req/unknown-type"] }

    override class func validate(
        _ request: DataStoreRequest, _ state: ReferenceState
    ) throws(DataStoreError) {
        try super.validate(request, state)
        if !state.types.isEmpty, state.type(request.type.key) == nil {
            throw DataStoreError(
                .storageFailure, in: "fetch", "There is no “\(request.type.key)”.")
        }
    }
}

/// Finds nothing by operators that it does not declare.
final class FindsNothingByUndeclaredOperators: QueryMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 19 }
    override class var caughtBy: [String] { ["pred/undeclared-operator-refused"] }

    override var capabilities: DataStoreCapabilities {
        var capabilities = super.capabilities
        capabilities.predicateOperators.remove(.endsWith)
        return capabilities
    }

    override class func holds(_ comparison: Comparison, _ subject: Subject) -> Bool {
        comparison.operator != .endsWith && super.holds(comparison, subject)
    }
}
