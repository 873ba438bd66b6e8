import Foundation
import JustPersist
import JustPersistConformance

/// Random predicates over the attributes of ``Sample``, and random values of these attributes.
///
/// Most predicates compare an attribute with a constant, and the values are from a small pool, so that many match.
struct RandomPredicates {
    private var random: RandomValues

    init(seed: UInt64 = .random(in: 0 ... .max)) { random = RandomValues(seed: seed) }

    var seed: UInt64 { random.generator.seed }

    mutating func bool() -> Bool { random.generator.bool() }
    mutating func int(_ range: Range<Int>) -> Int { random.generator.int(in: range) }
    mutating func name() -> String { random.generator.pick(Sample.names) }

    mutating func textOrder() -> TextOrder { random.generator.pick(TextOrder.allCases) }

    /// A value for an attribute.
    mutating func attributeValue() -> DataStoreValue { random.value(depth: 1) }

    mutating func predicate(depth: Int = 0) -> DataStorePredicate {
        switch int(0..<(depth > 3 ? 8 : 11)) {
        case 0: .constant(bool())
        case 1...7: .comparison(validComparison())
        case 8: .not(predicate(depth: depth + 1))
        case 9: .and((0..<int(0..<4)).map { _ in predicate(depth: depth + 1) })
        default: .or((0..<int(0..<4)).map { _ in predicate(depth: depth + 1) })
        }
    }

    private mutating func path() -> DataStorePredicate.AttributePath {
        var names = [name()]
        while int(0..<5) == 0 {
            names.append(random.generator.pick(Sample.names + ["x", "é", "uniqueToken"]))
        }
        if int(0..<20) == 0 { return .uniqueToken }
        return DataStorePredicate.AttributePath(names)
    }

    private mutating func operand() -> DataStorePredicate.Expression {
        switch int(0..<10) {
        case 0: .path(path())
        case 1: .count(path())
        case 2: .list((0..<int(0..<3)).map { _ in .value(random.value(depth: 2)) })
        default: .value(attributeValue())
        }
    }

    /// An expression of an attribute whose value cannot be read from a record alone, unless it is a constant.
    private mutating func computed(
        _ inner: DataStorePredicate.Expression
    ) -> DataStorePredicate.Expression {
        typealias Function = DataStorePredicate.Function
        switch int(0..<7) {
        case 0:
            let function = random.generator.pick(
                [.add, .subtract, .multiply, .divide, .modulus] as [Function])
            return .function(function, [inner, .value(attributeValue())])
        case 1:
            return .function(
                random.generator.pick(
                    [.absolute, .floor, .uppercase, .length, .sum, .count, .maximum, .average]),
                [inner])
        case 2:
            return .element(
                of: inner,
                random.generator.pick([
                    .first, .last, .at(.value(.int(1))), .at(.value(.string("x"))),
                ]))
        case 3: return .keyPath(of: inner, .init([random.generator.pick(["x", "uniqueToken"])]))
        case 4:
            let condition = DataStorePredicate.Comparison(
                .variable("v"), random.generator.pick([.equal, .notEqual, .less]),
                bool() ? .path(path()) : .value(attributeValue()))
            return .function(
                .count, [.subquery(inner, variable: "v", .comparison(condition))])
        case 5:
            let condition = DataStorePredicate.Comparison(
                .path(path()), .equal, .value(attributeValue()))
            return .ternary(.comparison(condition), inner, .value(attributeValue()))
        default:
            return .cast(inner, to: random.generator.pick([.number, .string, .date, .uuid]))
        }
    }

    private mutating func text() -> DataStorePredicate.Expression {
        int(0..<8) == 0
            ? .path(path()) : .value(.string(random.generator.pick(RandomValues.strings)))
    }

    /// A comparison whose operands are valid for its operator.
    private mutating func validComparison() -> DataStorePredicate.Comparison {
        while true {
            let found = comparison()
            if (try? DataStorePredicate.comparison(found).validate()) != nil { return found }
        }
    }

    private mutating func comparison() -> DataStorePredicate.Comparison {
        typealias Operator = DataStorePredicate.Operator
        let relation = random.generator.pick(Operator.allCases)
        let options: DataStorePredicate.Options = random.generator.pick([
            [], [], .caseInsensitive, .diacriticInsensitive,
            [.caseInsensitive, .diacriticInsensitive],
            .wholeCharacters, [.wholeCharacters, .caseInsensitive],
        ])
        var left: DataStorePredicate.Expression = .path(path())
        let right: DataStorePredicate.Expression
        switch relation {
        case .between: right = .list([operand(), operand()])
        case .in:
            right =
                int(0..<4) == 0
                ? text() : .list((0..<int(0..<5)).map { _ in operand() })
        case .contains: right = bool() ? text() : operand()
        case .beginsWith, .endsWith: right = text()
        case .like:
            right = .value(.string(random.generator.pick(["*", "a*", "?", "*b*", "é", "", "\\*"])))
        case .matches:
            right = .value(
                .string(random.generator.pick([".*", "a.?", "[aé]", "(?s).*b.*", "", "\\S+"])))
        default:
            right = bool() ? operand() : text()
            if int(0..<10) == 0 { left = .count(path()) }
        }
        if int(0..<6) == 0 { left = computed(left) }
        return DataStorePredicate.Comparison(
            left, relation, right,
            modifier: random.generator.pick([.direct, .direct, .direct, .direct, .any, .all]),
            options: options)
    }
}
