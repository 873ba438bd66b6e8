import Foundation
import JustPersist

/// Random predicates with the operators that a store declares.
///
/// Most of them compare an attribute with a constant, so that many match some items.
struct ModelPredicates {
    let attributes: [String]
    let values: ModelValues
    let operators: [DataStorePredicate.Operator]

    init(attributes: [String], _ capabilities: DataStoreCapabilities) {
        self.attributes = attributes
        values = ModelValues(kinds: capabilities.valueKinds)
        operators = capabilities.predicateOperators.sorted { $0.rawValue < $1.rawValue }
    }

    /// Returns a predicate.
    ///
    /// `items` is the highest number of an item so far.
    func predicate(
        items: Int, depth: Int = 0, using random: inout SeededGenerator
    ) -> DataStorePredicate {
        func parts() -> [DataStorePredicate] {
            (0..<random.int(in: 0..<4)).map { _ in
                predicate(items: items, depth: depth + 1, using: &random)
            }
        }
        switch random.int(in: 0..<(depth > 2 ? 9 : 14)) {
        case 0: return .constant(random.bool())
        case 9, 10: return .not(predicate(items: items, depth: depth + 1, using: &random))
        case 11, 12: return .and(parts())
        case 13: return .or(parts())
        default:
            if operators.isEmpty { return .constant(true) }
            // An operator that accepts the operands.
            while true {
                let found = comparison(items: items, using: &random)
                let predicate = DataStorePredicate.comparison(found)
                if (try? predicate.validate()) != nil { return predicate }
            }
        }
    }

    private func comparison(
        items: Int, using random: inout SeededGenerator
    ) -> DataStorePredicate.Comparison {
        func constant() -> DataStorePredicate.Expression {
            .value(values.value(items: items, using: &random))
        }
        func text() -> DataStorePredicate.Expression {
            .value(.string(random.pick(ModelValues.strings)))
        }
        let relation = random.pick(operators)
        if random.int(in: 0..<12) == 0, relation == .equal || relation == .notEqual {
            let item = ItemReference.numbered(random.int(in: 0..<items + 1), type: "Model")
            return DataStorePredicate.Comparison(
                .path(.uniqueToken), relation, .value(.reference(item)))
        }
        var left = DataStorePredicate.Expression.path(path(using: &random))
        let right: DataStorePredicate.Expression
        switch relation {
        case .between: right = .list([constant(), constant()])
        case .in: right = .list((0..<random.int(in: 0..<5)).map { _ in constant() })
        case .contains: right = random.bool() ? text() : constant()
        case .beginsWith, .endsWith, .like: right = text()
        case .matches:
            // Only plain text, because matching a regular expression is slow.
            let pattern = NSRegularExpression.escapedPattern(
                for: random.pick(ModelValues.strings))
            right = .value(.string(random.bool() ? pattern : pattern + ".*"))
        default:
            right = random.int(in: 0..<8) == 0 ? .path(path(using: &random)) : constant()
            if random.int(in: 0..<10) == 0 { left = .count(path(using: &random)) }
        }
        return DataStorePredicate.Comparison(
            left, relation, right,
            modifier: random.pick([
                .direct, .direct, .direct, .direct, .direct, .direct, .any, .all,
            ]),
            options: random.pick([
                [], [], [], .caseInsensitive, .diacriticInsensitive,
                [.caseInsensitive, .diacriticInsensitive],
            ]))
    }

    private func path(using random: inout SeededGenerator) -> DataStorePredicate.AttributePath {
        var names = [random.pick(attributes)]
        while random.int(in: 0..<5) == 0 { names.append(random.pick(["x", "y", "é"])) }
        return DataStorePredicate.AttributePath(names)
    }
}
