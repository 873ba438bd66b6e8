import JustPersist
import JustPersistConformance

/// Random predicates that pass validation, over the attributes `a` to `e` and paths below them.
struct RandomPredicates {
    var values: RandomValues

    init(seed: UInt64 = .random(in: 0 ... .max)) { values = RandomValues(seed: seed) }

    var seed: UInt64 { values.generator.seed }

    private static let names = ["a", "b", "c", "d", "e"]
    private static let oddNames = ["in", "é", "my key", "", "a.b", "\"\n", "SELF", "count", "x1"]

    mutating func subject() -> DictionarySubject {
        var attributes: [String: DataStoreValue] = [:]
        for name in Self.names where values.int(below: 4) > 0 { attributes[name] = values.value() }
        return DictionarySubject(attributes: attributes)
    }

    mutating func predicate(depth: Int = 0) -> DataStorePredicate {
        switch values.int(below: depth > 4 ? 6 : 9) {
        case 0: .constant(values.bool())
        case 1...5: .comparison(validComparison())
        case 6: .not(predicate(depth: depth + 1))
        case 7: .and((0..<values.int(below: 3) + 2).map { _ in predicate(depth: depth + 1) })
        default: .or((0..<values.int(below: 3) + 2).map { _ in predicate(depth: depth + 1) })
        }
    }

    private mutating func path() -> DataStorePredicate.AttributePath {
        var names = [values.pick(Self.names)]
        while values.int(below: 4) == 0 {
            names.append(values.pick(Self.oddNames.filter { !$0.isEmpty }))
        }
        return DataStorePredicate.AttributePath(names)
    }

    private mutating func expression(depth: Int = 0) -> DataStorePredicate.Expression {
        switch values.int(below: depth > 1 ? 5 : 14) {
        case 0, 1: .value(values.value())
        case 2, 3: .path(path())
        case 4: .count(path())
        case 5: .list((0..<values.int(below: 4)).map { _ in expression(depth: depth + 1) })
        case 6, 7: call(depth)
        case 8: .keyPath(of: expression(depth: depth + 1), path())
        case 9: .element(of: expression(depth: depth + 1), index(depth))
        case 10: subquery(depth)
        case 11:
            .ternary(
                predicate(depth: 4), expression(depth: depth + 1), expression(depth: depth + 1))
        case 12:
            .cast(
                expression(depth: depth + 1),
                to: values.pick(DataStorePredicate.ValueClass.allCases))
        default: .variable(values.pick(Self.variables))
        }
    }

    private static let variables = ["x", "limit", "in", "é"]

    private mutating func call(_ depth: Int) -> DataStorePredicate.Expression {
        let function = values.pick(DataStorePredicate.Function.allCases)
        let isOfMany = ["sum:", "min:", "max:", "average:", "median:", "mode:", "stddev:"]
            .contains(function.rawValue)
        let count =
            function == .now
            ? 0
            : isOfMany ? values.int(below: 3) + 1 : function.rawValue.count { $0 == ":" }
        return .function(function, (0..<count).map { _ in expression(depth: depth + 1) })
    }

    private mutating func index(_ depth: Int) -> DataStorePredicate.Index {
        values.int(below: 3) == 0
            ? .first : values.bool() ? .last : .at(expression(depth: depth + 1))
    }

    private mutating func subquery(_ depth: Int) -> DataStorePredicate.Expression {
        .subquery(
            expression(depth: depth + 1), variable: values.pick(Self.variables),
            predicate(depth: 4))
    }

    /// A comparison whose operands are valid for its operator.
    private mutating func validComparison() -> DataStorePredicate.Comparison {
        while true {
            let found = comparison()
            if (try? DataStorePredicate.comparison(found).validate()) != nil { return found }
        }
    }

    private mutating func comparison() -> DataStorePredicate.Comparison {
        let relation = values.pick(DataStorePredicate.Operator.allCases)
        let options: [DataStorePredicate.Options] = [
            [], [], .caseInsensitive, .diacriticInsensitive, .normalized,
            [.caseInsensitive, .diacriticInsensitive],
        ]
        var left = expression()
        var right = expression()
        switch relation {
        case .between: right = .list([expression(depth: 2), expression(depth: 2)])
        case .in: right = values.bool() ? .path(path()) : .list([right, expression(depth: 2)])
        case .contains: left = .path(path())
        case .beginsWith, .endsWith, .like, .matches:
            left = .path(path())
            right =
                relation == .matches
                ? .value(.string(values.pick(["", "a.*", "[aé]", "(?i)A|B", "\\d+", "\\Qa"])))
                : values.bool()
                    ? .path(path()) : .value(.string(values.pick(RandomValues.strings)))
        default: break
        }
        return DataStorePredicate.Comparison(
            left, relation, right, modifier: values.pick([.direct, .direct, .direct, .any, .all]),
            options: values.pick(options))
    }
}
