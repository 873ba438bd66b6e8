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
        case 1...5: .comparison(comparison())
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
        switch values.int(below: depth > 1 ? 5 : 6) {
        case 0, 1: .value(values.value())
        case 2, 3: .path(path())
        case 4: .count(path())
        default: .list((0..<values.int(below: 4)).map { _ in expression(depth: depth + 1) })
        }
    }

    private mutating func comparison() -> DataStorePredicate.Comparison {
        let relation = values.pick(DataStorePredicate.Operator.allCases)
        let options: [DataStorePredicate.Options] = [
            [], [], .caseInsensitive, .diacriticInsensitive,
            [.caseInsensitive, .diacriticInsensitive],
        ]
        var left = expression()
        var right = expression()
        switch relation {
        case .between: right = .list([expression(depth: 2), expression(depth: 2)])
        case .in: right = values.bool() ? .path(path()) : .list([right, expression(depth: 2)])
        case .contains: left = .path(path())
        case .beginsWith, .endsWith:
            left = .path(path())
            right =
                values.bool() ? .path(path()) : .value(.string(values.pick(RandomValues.strings)))
        default: break
        }
        return DataStorePredicate.Comparison(
            left, relation, right, modifier: values.int(below: 4) == 0 ? .any : .direct,
            options: values.pick(options))
    }
}
