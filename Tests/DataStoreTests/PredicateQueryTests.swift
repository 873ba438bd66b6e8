import Foundation
import JustPersist
import Testing

/// Clauses 10 and 11: what a store answers from its bytes is what the contract's evaluator says of the same
/// values.
@Suite struct PredicateQueryTests {
    /// An item as the evaluator sees it, made of values alone.
    private struct Subject: PredicateSubject {
        let id: ItemID
        var values: [DataStoreValue]
        var others: @Sendable (ItemReference) -> [DataStoreValue]? = { _ in nil }

        func value(forAttribute name: String) -> DataStoreValue {
            if name == "uniqueToken" { return .uuid(id.uuid) }
            return Sample.names.firstIndex(of: name).map { values[$0] } ?? .null
        }

        func value(forAttribute name: String, of reference: ItemReference) -> DataStoreValue {
            guard let values = others(reference) else { return .null }
            return Subject(id: reference.id, values: values).value(forAttribute: name)
        }
    }

    @Test func randomPredicatesOverRandomValues() throws {
        var random = RandomPredicates()
        print("seed: \(random.seed)")
        try Backend.memory.withStore { store in
            var subjects = try corpus(of: store, &random)
            for round in 0..<1200 {
                let predicate = random.predicate()
                // An operator that can never apply is refused.
                guard
                    try store.read({ db in
                        (try? db.performCount(DataStoreRequest(samplesWhere: predicate))) != nil
                    })
                else { continue }
                let expected = try subjects.filter { try predicate.matches($0) }.map(\.id)
                let found = try store.read { db in
                    try db.performFetch(DataStoreRequest(samplesWhere: predicate)).map(
                        \.uniqueToken)
                }
                #expect(found == expected, "\(predicate)")
                guard round % 100 == 0 else { continue }
                // The same inside a write block, over changes that were never committed.
                try store.write { db in
                    for (index, item) in try db.items(Sample.self).enumerated()
                    where index % 3 == round / 100 % 3 {
                        item[1] = random.attributeValue()
                        subjects[index].values[1] = item[1]
                    }
                    subjects = linked(subjects)
                    for _ in 0..<20 {
                        let predicate = random.predicate()
                        let request = DataStoreRequest(samplesWhere: predicate)
                        guard (try? db.performCount(request)) != nil else { continue }
                        let expected = try subjects.filter { try predicate.matches($0) }.map(\.id)
                        try #expect(
                            db.performFetch(DataStoreRequest(samplesWhere: predicate)).map(
                                \.uniqueToken)
                                == expected, "\(predicate)")
                        try #expect(
                            db.performCount(DataStoreRequest(samplesWhere: predicate))
                                == expected.count,
                            "\(predicate)")
                    }
                }
            }
        }
    }

    /// Sixty items, a third of which the others refer to.
    private func corpus(
        of store: any DataStore, _ random: inout RandomPredicates
    ) throws -> [Subject] {
        var subjects = (0..<60).map { index in
            // The first have the ids that random references and UUIDs point to.
            Subject(
                id: index < 3 ? ItemID(high: 7, low: UInt64(index) << 56) : ItemID(),
                values: (0..<5).map { _ in random.attributeValue() })
        }
        for index in subjects.indices.dropFirst(20) where index % 4 == 0 {
            let target = subjects[random.int(0..<20)].id
            subjects[index].values[4] = .reference(
                ItemReference(itemTypeKey: "Sample", id: target))
        }
        subjects.sort { $0.id < $1.id }
        try store.write { db in
            for subject in subjects {
                let item = Sample(
                    backing: DictionaryBacking(
                        itemTypeKey: "Sample", schema: Sample.schema, id: subject.id))
                for (index, value) in subject.values.enumerated() { item[index] = value }
                try #require(db.insert(item) == true)
            }
        }
        return linked(subjects)
    }

    /// The subjects, each of which finds the values of the others.
    private func linked(_ subjects: [Subject]) -> [Subject] {
        let values = Dictionary(uniqueKeysWithValues: subjects.map { ($0.id, $0.values) })
        return subjects.map { subject in
            var subject = subject
            subject.others = { $0.itemTypeKey == "Sample" ? values[$0.id] : nil }
            return subject
        }
    }

    @Test func everyPairOfEdgeValuesComparesAsTheEvaluatorSays() throws {
        var values: [DataStoreValue] = [.null, .bool(true), .bool(false)]
        values += RandomValues.ints.map { .int($0) }
        values += RandomValues.doubles.map { .double($0) }
        values += RandomValues.decimals.map { .decimal($0) }
        values += RandomValues.strings.map { .string($0) }
        values += RandomValues.doubles.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        values += [.data(Data([1])), .array([.string("a")]), .dictionary(["x": .int(1)])]
        try Backend.memory.withStore { store in
            let ids = try store.write { db in
                try values.map { value in
                    let item = try db.create(Sample.self)
                    item[0] = value
                    return item.uniqueToken
                }
            }
            let subjects = zip(ids, values).map {
                Subject(id: $0, values: [$1, .null, .null, .null, .null])
            }
            typealias Operator = DataStorePredicate.Operator
            let relations: [Operator] = [
                .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .contains,
                .beginsWith, .endsWith,
            ]
            try store.read { db in
                for relation in relations {
                    let isText = [Operator.contains, .beginsWith, .endsWith].contains(relation)
                    for value in values where !isText || value.kind == .string {
                        let all: [DataStorePredicate.Options] = [
                            [], .caseInsensitive, [.caseInsensitive, .diacriticInsensitive],
                        ]
                        for options in isText ? all : [[]] {
                            let predicate = DataStorePredicate.comparison(
                                .init(
                                    .path(.init(["a"])), relation, .value(value), options: options))
                            let expected = try subjects.filter { try predicate.matches($0) }.map(
                                \.id)
                            let found = try db.performFetch(
                                DataStoreRequest(samplesWhere: predicate))
                            #expect(found.map(\.uniqueToken) == expected, "\(predicate)")
                        }
                    }
                }
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference) func tokensAreFoundByEqualityAndIn(
        _ backend: Backend
    ) throws {
        try backend.withStore { store in
            try store.fill(["a", "b", "c"])
            let ids = try store.read { db in try db.items(Restaurant.self).map(\.uniqueToken) }
            func names(_ format: String, _ arguments: Any?...) throws -> [String?] {
                try store.names(where: DataStorePredicate(format, arguments: arguments))
            }
            try #expect(names("uniqueToken == %@", ids[1]) == ["b"])
            try #expect(names("uniqueToken == %@", ids[1].description) == ["b"])
            try #expect(names("SELF == %@", ids[1].uuid) == ["b"])
            try #expect(names("uniqueToken != %@", ids[1]) == ["a", "c"])
            try #expect(names("uniqueToken == %@", ItemID()) == [])
            try #expect(names("uniqueToken IN %@", [ids[2], ids[0], ids[2]]) == ["a", "c"])
            try #expect(names("uniqueToken IN %@", [ItemID]()) == [])
            try #expect(names("uniqueToken == %@ AND stars > 0", ids[0]) == [])
            try #expect(names("uniqueToken == %@ OR stars == 0", ids[2]) == ["a", "c"])
            try #expect(names("NOT uniqueToken == %@", ids[0]) == ["b", "c"])
            try #expect(names("uniqueToken == 5") == [])
            try #expect(names("uniqueToken == %@", ids[0]) == ["a"])
            let page = try store.read { db in
                try db.items(
                    Restaurant.self, where: DataStorePredicate("uniqueToken IN %@", ids),
                    sortedBy: .descending("name"), offset: 1, limit: 1
                ).map(\.name)
            }
            #expect(page == ["b"])
        }
    }

    @Test(arguments: Backend.memoryAndReference) func filtersByAttributeAndValue(
        _ backend: Backend
    ) throws {
        try backend.withStore { store in
            try store.write { db in
                for value in [
                    DataStoreValue.null, .bool(true), .int(1), .double(1.5), .string("x"),
                    .array([.int(1)]),
                ] { try db.create(Restaurant.self).value = value }
            }
            try store.read { db in
                let request = DataStoreRequest(itemType: Restaurant.self)
                for (value, count) in [
                    (nil, 1), (true, 2), (1, 2), (1.5, 1), ("x", 1), ([1], 1), (2, 0), ("X", 0),
                ] as [(Any?, Int)] {
                    request.setFilter(whereAttribute: "value", equalsValue: value)
                    try #expect(db.count(request) == count)
                }
                request.setFilter(whereAttribute: "value", equalsValue: Thread.current)
                expectError(.unsupportedValue) { _ = try db.count(request) }
                request.predicate = nil
                try #expect(db.count(request) == 6)
            }
        }
    }

    @Test func thousandsOfOperands() throws {
        try Backend.memory.withStore { store in
            let count = 300
            try store.fill((0..<count).map { "\($0)" })
            let numbers = (0..<100_000).map { $0 * 2 }
            try #expect(
                store.names(where: DataStorePredicate("stars IN %@", numbers)).count == count / 2)
            expectError(.limitExceeded) {
                _ = try store.names(
                    where: DataStorePredicate("stars IN %@", numbers + [1]))
            }
            let parts = (0..<9_000).map {
                DataStorePredicate.comparison(
                    .init(.path(.init(["stars"])), .equal, .value(.int($0 * 3))))
            }
            try #expect(store.names(where: .or(parts)).count == count / 3)
        }
    }
}
