import JustPersist

/// Random requests that indexes can answer: one or several comparisons of attributes with constants, with or without an
/// order and a page.
///
/// Some of the requests are of any other form.
struct IndexQueries {
    private let corpus: Corpus
    private let samples: SampleValues
    private let attributes: [String]
    private let operators: [DataStorePredicate.Operator]
    private var random: SeededGenerator
    private var anyQueries: QueryGenerator

    init(_ corpus: Corpus, _ check: CheckContext) {
        self.corpus = corpus
        samples = SampleValues(check.capabilities)
        attributes = corpus.attributes
        let simple: Set<DataStorePredicate.Operator> = [
            .equal, .less, .lessOrEqual, .greater, .greaterOrEqual, .in, .between, .beginsWith,
            .contains,
        ]
        operators = simple.intersection(check.capabilities.predicateOperators)
            .sorted { $0.rawValue < $1.rawValue }
        random = check.generator("simple queries")
        anyQueries = QueryGenerator(corpus, check)
    }

    mutating func query() -> Query {
        if random.int(in: 0..<3) == 0 { return anyQueries.query() }
        let parts = (0..<random.int(in: 0...3)).map { _ in comparison() }
        var query = Query()
        switch parts.count {
        case 0: break
        case 1: query.predicate = parts[0]
        default: query.predicate = random.int(in: 0..<3) == 0 ? .or(parts) : .and(parts)
        }
        query.sort = (0..<random.int(in: 0...2)).map { _ in
            DataStoreSortDescriptor(
                key: random.pick(attributes), ascending: random.bool(),
                textOrder: random.bool() ? .scalars : random.pick(anyQueries.textOrders))
        }
        query.limit = random.pick([nil, 1, 3, 10, random.int(in: 0...40)])
        query.offset = random.pick([nil, nil, 1, random.int(in: 0...20)])
        return query
    }

    private mutating func comparison() -> DataStorePredicate {
        let attribute = random.pick(attributes)
        var path = attribute
        var value = value(of: attribute)
        if case .dictionary(let entries) = value,
            let entry = entries.min(by: { $0.key < $1.key })
        {
            path += "." + entry.key
            value = entry.value
        }
        var modifier = DataStorePredicate.Modifier.direct
        if case .array(let elements) = value, !elements.isEmpty, random.bool() {
            modifier = .any
            value = random.pick(elements)
        }
        let relation = random.pick(operators)
        let operand: DataStoreValue
        switch relation {
        case .in:
            operand = .array(
                [value] + (0..<random.int(in: 0...3)).map { _ in self.value(of: attribute) })
        case .between: operand = .array([value, self.value(of: attribute)])
        case .beginsWith:
            guard case .string(let text) = value else {
                return simple(path, .equal, value, modifier)
            }
            operand = .string(String(text.prefix(random.int(in: 0...2))))
        default: operand = value
        }
        return simple(path, relation, operand, modifier)
    }

    /// The comparison, or a comparison for equality if the operator does not accept the operand.
    private mutating func simple(
        _ path: String, _ relation: DataStorePredicate.Operator, _ operand: DataStoreValue,
        _ modifier: DataStorePredicate.Modifier
    ) -> DataStorePredicate {
        let options: DataStorePredicate.Options =
            random.int(in: 0..<3) == 0 ? .caseInsensitive : []
        let predicate = DataStorePredicate.compare(
            path, relation, operand, options, modifier: modifier)
        return (try? predicate.validate()) != nil
            ? predicate : .compare(path, .equal, operand, modifier: modifier)
    }

    /// A random value, usually one that some item has.
    private mutating func value(of attribute: String) -> DataStoreValue {
        if random.int(in: 0..<8) == 0 { return random.pick(samples.all + [.null]) }
        return random.pick(corpus.state.rows)[attribute]
    }
}
