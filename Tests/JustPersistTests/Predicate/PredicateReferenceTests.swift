import Foundation
import JustPersist
import JustPersistConformance
import Testing

/// The evaluator against the kit's second one, which was written from the contract alone.
@Suite struct PredicateReferenceTests {
    @Test func randomPredicatesAgreeWithTheReference() throws {
        var random = RandomPredicates()
        let count = 4_000
        print("\(count) predicates over 10 subjects each, seed \(random.seed)")
        var (matched, computed) = (0, 0)
        for _ in 0..<count {
            let predicate = random.predicate()
            if "\(predicate)".contains("(") { computed += 1 }
            let prepared = PreparedPredicate(predicate)
            for _ in 0..<10 {
                let subject = random.subject()
                let reference = ReferencePredicate.Subject(
                    value: { subject.attributes[$0] ?? .null }, valueOfOther: { _, _ in .null })
                let holds = try prepared.matches(subject)
                if holds { matched += 1 }
                #expect(
                    holds == ReferencePredicate.matches(predicate, reference),
                    "seed \(random.seed): \(predicate) of \(subject.attributes)")
                #expect(
                    try holds == predicate.evaluatingConstants(now: Date()).matches(subject),
                    "seed \(random.seed): \(predicate)")
            }
        }
        #expect(matched > 0 && computed > count / 10)
    }

    /// Every function for every pair of edge values.
    @Test(arguments: DataStorePredicate.Function.allCases)
    func functionsAgreeWithTheReference(_ function: DataStorePredicate.Function) throws {
        var values: [DataStoreValue] = [.null, .bool(true), .string("x"), .string("")]
        values += RandomValues.ints.map { .int($0) } + [.int(2), .int(3), .int(64)]
        values +=
            RandomValues.doubles.map { .double($0) } + RandomValues.decimals.map { .decimal($0) }
        let lists: [DataStoreValue] = [
            .array([]), .array([.null]), .array([.int(1), .double(1), .null, .decimal(3)]),
            .array([.double(.nan), .int(1)]), .array([.double(.nan), .double(.nan)]),
            .array([.int(.max), .int(.max), .int(-3)]),
            .array([.string("b"), .string("a"), .null]),
            .array([.decimal(1), .decimal(2)]), .array([.int(1), .string("x")]),
            .dictionary(["x": .null]),
        ]
        // Of the kinds and the edges some are enough for pairs.
        let some = values.enumerated().filter { $0.offset % 3 == 0 || $0.offset < 6 }.map(\.element)
        let arguments: [[DataStoreValue]] =
            (values + lists).map { [$0] } + some.flatMap { a in some.map { [a, $0] } }
        let subject = DictionarySubject(attributes: [:])
        let none = ReferencePredicate.Subject(
            value: { _ in .null }, valueOfOther: { _, _ in .null })
        for arguments in arguments {
            let call = DataStorePredicate.Expression.function(
                function, arguments.map { .value($0) })
            guard function != .now,
                (try? DataStorePredicate.comparison(.init(call, .equal, call)).validate()) != nil
            else { continue }
            // Many comparisons show what both are.
            let probes: [DataStoreValue] = [
                .null, .int(0), .int(1), .double(1), .int(.max), .double(1e300), .decimal(1),
                .string("1"),
            ]
            for probe in probes + arguments {
                for relation: DataStorePredicate.Operator in [.equal, .less, .greater] {
                    let predicate = DataStorePredicate.comparison(
                        .init(call, relation, .value(probe)))
                    #expect(
                        try predicate.matches(subject)
                            == ReferencePredicate.matches(predicate, none),
                        "\(predicate)")
                }
            }
            let text = DataStorePredicate.Expression.cast(call, to: .string)
            for probe in arguments {
                let predicate = DataStorePredicate.comparison(
                    .init(text, .equal, .cast(.value(probe), to: .string)))
                #expect(
                    try predicate.matches(subject) == ReferencePredicate.matches(predicate, none),
                    "\(predicate)")
            }
        }
    }
}
