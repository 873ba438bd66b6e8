import Foundation
import JustPersist

/// Generates patterns, and computed operands of comparisons.
extension QueryGenerator {
    typealias Expression = DataStorePredicate.Expression
    typealias Function = DataStorePredicate.Function

    // MARK: Patterns

    /// A pattern for LIKE that may match a text.
    mutating func wildcards(_ text: String) -> String {
        var pattern = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch random.int(in: 0..<8) {
            case 0: pattern.append("?")
            case 1: pattern.append("*")
            case 2: pattern.append(contentsOf: ["*", scalar])
            default:
                if ["*", "?", "\\"].contains(scalar) { pattern.append("\\") }
                pattern.append(scalar)
            }
        }
        return String(pattern)
    }

    /// A regular expression that may match a text.
    mutating func regularExpression(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch random.int(in: 0..<8) {
            case 0: "[\\s\\S]"
            case 1: "[\\s\\S]*"
            case 2: "[a-z]?"
            default: NSRegularExpression.escapedPattern(for: String(scalar))
            }
        }.joined()
    }

    // MARK: Computed operands

    /// A comparison with an operand that is not a plain attribute.
    mutating func computedComparison() -> DataStorePredicate.Comparison {
        let attribute = random.pick(attributes)
        let values = corpus.state.rows.map { $0[attribute] }
        let left = expression(.path(.init([attribute])), random.pick(values), depth: 0)
        let relation = random.pick(operators)
        let operand =
            random.int(in: 0..<3) == 0
            ? random.pick(values) : random.pick(samples.all + [.null, .int(1), .int(2)])
        let modifier = random.pick(
            [.direct, .direct, .direct, .any, .all] as [DataStorePredicate.Modifier])
        return DataStorePredicate.Comparison(
            left, relation, right(of: relation, operand), modifier: modifier, options: options()
        ).madeValid()
    }

    /// A computed expression that may have such a value.
    private mutating func expression(
        _ inner: Expression, _ value: DataStoreValue, depth: Int
    ) -> Expression {
        if depth > 2 { return inner }
        let outer = computed(inner, value)
        return random.int(in: 0..<3) == 0 ? expression(outer, .null, depth: depth + 1) : outer
    }

    private mutating func computed(_ inner: Expression, _ value: DataStoreValue) -> Expression {
        let ofLists: [Function] = [
            .sum, .minimum, .maximum, .average, .median, .mode, .standardDeviation, .distinct,
            .count,
        ]
        let ofNumbers: [Function] = [
            .squareRoot, .floor, .ceiling, .truncate, .absolute, .onesComplement, .exponential,
        ]
        let ofTwo: [Function] = [
            .add, .subtract, .multiply, .divide, .modulus, .power, .bitwiseAnd, .bitwiseOr,
            .bitwiseXor, .shiftLeft, .shiftRight,
        ]
        switch random.int(in: 0..<12) {
        case 0, 1:
            let other = random.bool() ? path() : .value(random.pick(samples.all))
            let arguments = random.bool() ? [inner, other] : [other, inner]
            return .function(random.pick(ofTwo), arguments)
        case 2: return .function(random.pick(ofNumbers), [inner])
        case 3: return .function(random.pick([.uppercase, .lowercase, .length]), [inner])
        case 4: return .function(random.pick(ofLists), [inner])
        case 5:
            let others = (0..<random.int(in: 1..<4)).map { _ in path() }
            return .function(random.pick(ofLists.dropLast(2)), [inner] + others)
        case 6: return .element(of: inner, random.pick([.first, .last, .at(.value(.int(1)))]))
        case 7:
            let name = random.pick(["a", "b", "x"])
            return random.bool()
                ? .keyPath(of: inner, .init([name]))
                : .element(of: inner, .at(.value(.string(name))))
        case 8, 9: return subquery(inner, value)
        case 10: return .ternary(.comparison(plainComparison()), inner, path())
        default: return .cast(inner, to: random.pick(DataStorePredicate.ValueClass.allCases))
        }
    }

    private mutating func subquery(_ inner: Expression, _ value: DataStoreValue) -> Expression {
        var elements = samples.all
        if case .array(let values) = value, !values.isEmpty { elements = values }
        let relation = random.pick(operators)
        let condition = DataStorePredicate.Comparison(
            .variable("x"), relation, right(of: relation, random.pick(elements)),
            options: options())
        let found = Expression.subquery(inner, variable: "x", .comparison(condition))
        let isValid = (try? found.validate()) != nil
        let predicate: DataStorePredicate =
            isValid
            ? .comparison(condition) : .comparison(.init(.variable("x"), .notEqual, path()))
        let chosen = Expression.subquery(inner, variable: "x", predicate)
        return random.bool() ? .function(.count, [chosen]) : chosen
    }

    private mutating func plainComparison() -> DataStorePredicate.Comparison {
        DataStorePredicate.Comparison(
            path(), random.pick([.less, .greaterOrEqual, .equal].filter(operators.contains)),
            .value(random.pick(samples.all)))
    }

    private mutating func path() -> Expression { .path(.init([random.pick(attributes)])) }
}

extension DataStorePredicate.Expression {
    /// Validates the expression as an operand of a comparison.
    fileprivate func validate() throws(DataStoreError) {
        try DataStorePredicate.comparison(.init(self, .equal, self)).validate()
    }
}
