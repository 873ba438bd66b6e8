import JustPersist

@testable import JustPersistConformance

/// Stores with faults in patterns, quantifiers and computed sides of comparisons.
enum LanguageMutants {
    static let all: [SabotagedType] = [
        TakesPercentForWildcard.self, FindsPartsByMatches.self, AllIsAny.self,
        DividesWithFraction.self, SumsFirstElement.self, FindsAllBySubquery.self,
        TakesEvaluatedForTrue.self, SwallowsErrorsOfConditions.self,
    ]
}

/// Treats the wildcards of SQL as those of LIKE.
final class TakesPercentForWildcard: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["pred/like"] }

    override class func holds(_ comparison: Comparison, _ subject: Subject) -> Bool {
        guard comparison.operator == .like, case .value(.string(let pattern)) = comparison.right
        else { return super.holds(comparison, subject) }
        let other = String(pattern.map { $0 == "%" ? "*" : $0 })
        return super.holds(
            Comparison(
                comparison.left, .like, .value(.string(other)), modifier: comparison.modifier,
                options: comparison.options), subject)
    }
}

/// Accepts a match of a part of the text.
final class FindsPartsByMatches: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["pred/matches"] }

    override class func holds(_ comparison: Comparison, _ subject: Subject) -> Bool {
        guard comparison.operator == .matches,
            case .value(.string(let pattern)) = comparison.right
        else { return super.holds(comparison, subject) }
        return super.holds(
            Comparison(
                comparison.left, .matches, .value(.string(".*(?:\(pattern)).*")),
                modifier: comparison.modifier, options: comparison.options), subject)
    }
}

/// Finds every item by a condition that it cannot evaluate itself.
final class TakesEvaluatedForTrue: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["pred/evaluated"] }

    override class func matches(_ predicate: DataStorePredicate, _ subject: Subject) -> Bool {
        if case .evaluated = predicate { return true }
        return super.matches(predicate, subject)
    }
}

/// Leaves out the items on which a condition fails.
final class SwallowsErrorsOfConditions: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["pred/evaluated-error"] }

    override class func failure(
        _ rows: [ReferenceRow], _ request: DataStoreRequest, _ state: ReferenceState
    ) -> DataStoreError? { nil }
}

/// Accepts ALL when one element fulfils the condition.
final class AllIsAny: QueryMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["pred/any-all-in-collection"] }

    override class func holds(_ comparison: Comparison, _ subject: Subject) -> Bool {
        guard comparison.modifier == .all else { return super.holds(comparison, subject) }
        return super.holds(
            Comparison(
                comparison.left, comparison.operator, comparison.right, modifier: .any,
                options: comparison.options), subject)
    }
}

/// A store that computes the left side of a comparison wrongly.
class ExpressionMutant: QueryMutant, @unchecked Sendable {
    class func other(_ expression: Expression) -> Expression { expression }

    override class func holds(_ comparison: Comparison, _ subject: Subject) -> Bool {
        super.holds(
            Comparison(
                other(comparison.left), comparison.operator, comparison.right,
                modifier: comparison.modifier, options: comparison.options), subject)
    }
}

/// Divides whole numbers as SQLite's REAL are divided.
final class DividesWithFraction: ExpressionMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["pred/arithmetic"] }

    override class func other(_ expression: Expression) -> Expression {
        guard case .function(.divide, let parts) = expression else { return expression }
        return .function(
            .divide, [.function(.add, [parts[0], .value(.double(0))])] + parts.dropFirst())
    }
}

/// Returns the first element as a sum.
final class SumsFirstElement: ExpressionMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["pred/collection-operators"] }

    override class func other(_ expression: Expression) -> Expression {
        guard case .function(.sum, let parts) = expression else { return expression }
        return .element(of: parts[0], .first)
    }
}

/// Counts all elements where a SUBQUERY restricts them.
final class FindsAllBySubquery: ExpressionMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["pred/subquery"] }

    override class func other(_ expression: Expression) -> Expression {
        guard case .function(.count, let parts) = expression,
            case .subquery(let collection, _, _) = parts[0]
        else { return expression }
        return .function(.count, [collection])
    }
}
