import Foundation
import JustPersist

/// Random requests for a corpus, with the operators and kinds that the store declares.
///
/// The operands are values of the corpus, so that most requests find some items, and few find all items.
struct QueryGenerator {
    let corpus: Corpus
    let samples: SampleValues
    let attributes: [String]
    let operators: [DataStorePredicate.Operator]
    let textOrders: [TextOrder]
    var random: SeededGenerator

    init(_ corpus: Corpus, _ check: CheckContext, _ purpose: String = "queries") {
        self.corpus = corpus
        samples = SampleValues(check.capabilities)
        attributes = corpus.attributes
        operators = check.capabilities.predicateOperators.sorted { $0.rawValue < $1.rawValue }
        textOrders = TextOrder.allCases.filter(check.capabilities.textOrders.contains)
        random = check.generator(purpose)
    }

    /// A request with or without each of its parts.
    mutating func query() -> Query {
        Query(
            predicate: random.int(in: 0..<4) == 0 ? nil : predicate(), sort: sort(),
            offset: random.pick([nil, 0, 1, 5, random.int(in: 0...70)]),
            limit: random.pick([nil, nil, 0, 1, 5, random.int(in: 0...70), .max]))
    }

    /// Up to three sort descriptors.
    mutating func sort() -> [DataStoreSortDescriptor] {
        (0..<random.int(in: 0...3)).map { _ in
            DataStoreSortDescriptor(
                key: random.pick(attributes + [Corpus.group]), ascending: random.bool(),
                textOrder: random.bool() ? .scalars : random.pick(textOrders))
        }
    }

    /// A predicate with at most five levels.
    mutating func predicate(depth: Int = 0) -> DataStorePredicate {
        switch random.int(in: 0..<(depth > 3 ? 7 : 13)) {
        case 7, 8: return .not(predicate(depth: depth + 1))
        case 9, 10: return .and(parts(depth))
        case 11, 12: return .or(parts(depth))
        case 0 where random.int(in: 0..<4) == 0: return .constant(random.bool())
        default: return operators.isEmpty ? .constant(true) : .comparison(comparison())
        }
    }

    private mutating func parts(_ depth: Int) -> [DataStorePredicate] {
        (0..<random.int(in: 0...3)).map { _ in predicate(depth: depth + 1) }
    }

    private mutating func comparison() -> DataStorePredicate.Comparison {
        if random.int(in: 0..<4) == 0 { return computedComparison() }
        let relation = random.pick(operators)
        if random.int(in: 0..<15) == 0 {
            let id = random.pick(corpus.ids)
            return DataStorePredicate.Comparison(
                .path(.uniqueToken), relation, right(of: relation, .uuid(id.uuid))
            ).madeValid()
        }
        let attribute = random.pick(attributes)
        let values = corpus.state.rows.map { $0[attribute] }.filter { !$0.isNull }
        var operand =
            random.int(in: 0..<4) == 0 ? random.pick(samples.all + [.null]) : random.pick(values)
        var path = [attribute]
        // Half of the values that refer to other items or contain values are followed.
        switch operand {
        case .dictionary(let entries) where random.bool():
            if let next = entries.sorted(by: { $0.key < $1.key }).first {
                path.append(next.key)
                operand = next.value
            }
        case .reference where attribute == Corpus.link && random.bool():
            let next = random.pick(attributes)
            path.append(next)
            operand = random.pick(corpus.state.rows.map { $0[next] })
        default: break
        }
        if random.int(in: 0..<3) == 0 { operand = equivalent(operand) }
        var left = DataStorePredicate.Expression.path(.init(path))
        var modifier = DataStorePredicate.Modifier.direct
        if case .array(let elements) = operand, random.bool() {
            if random.int(in: 0..<4) == 0 {
                left = .count(.init(path))
                operand = .int(Int64(elements.count))
            } else {
                modifier = random.bool() ? .any : .all
                operand = elements.isEmpty ? operand : random.pick(elements)
            }
        }
        // An attribute's value may be an invalid regular expression.
        let other = random.int(in: 0..<10) == 0 && relation != .matches
        let right =
            other
            ? right(of: relation, path: .init([random.pick(attributes)]))
            : right(of: relation, operand)
        return DataStorePredicate.Comparison(
            left, relation, right, modifier: modifier, options: options()
        ).madeValid()
    }

    mutating func options() -> DataStorePredicate.Options {
        random.pick([
            [], [], [], .caseInsensitive, .diacriticInsensitive,
            [.caseInsensitive, .diacriticInsensitive], [.normalized, .caseInsensitive],
        ])
    }

    /// A value that is equal to this one but not identical, or one that is only slightly different, if its kind has
    /// such values.
    private func equivalent(_ value: DataStoreValue) -> DataStoreValue {
        let other: DataStoreValue =
            switch value {
            case .int(let number): .double(Double(number))
            case .double(let number): Int64(exactly: number).map(DataStoreValue.int) ?? value
            case .string(let text): .string(text.decomposedStringWithCanonicalMapping)
            default: value
            }
        return samples.isDeclared(other) ? other : value
    }

    /// A right operand that an operator accepts, and that contains a value.
    mutating func right(
        of relation: DataStorePredicate.Operator, _ value: DataStoreValue
    ) -> DataStorePredicate.Expression {
        switch relation {
        case .in:
            let more = random.shuffled(samples.all).prefix(random.int(in: 0...3))
            return .value(.array(random.shuffled([value] + more)))
        case .between:
            let other = random.pick(samples.all(value.kind) + [value])
            return .value(.array(random.shuffled([value, other])))
        case .beginsWith, .endsWith, .contains:
            guard case .string(let text) = value else { return .value(value) }
            let length = random.int(in: 0...text.unicodeScalars.count)
            let scalars = Array(text.unicodeScalars)
            let part = relation == .beginsWith ? scalars.prefix(length) : scalars.suffix(length)
            return .value(.string(String(String.UnicodeScalarView(part))))
        case .like:
            guard case .string(let text) = value else { return .value(value) }
            return .value(.string(wildcards(text)))
        case .matches:
            guard case .string(let text) = value else { return .value(value) }
            return .value(.string(regularExpression(text)))
        default: return .value(value)
        }
    }

    private func right(
        of relation: DataStorePredicate.Operator, path: DataStorePredicate.AttributePath
    ) -> DataStorePredicate.Expression {
        relation == .between ? .list([.path(path), .path(path)]) : .path(path)
    }
}

extension DataStorePredicate.Comparison {
    /// The comparison, or a comparison for equality if its operator does not accept its operands.
    func madeValid() -> Self {
        let isValid = (try? DataStorePredicate.comparison(self).validate()) != nil
        return isValid ? self : Self(left, .equal, right, modifier: modifier, options: options)
    }
}
