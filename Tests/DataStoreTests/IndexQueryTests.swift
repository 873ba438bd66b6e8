import Foundation
import JustPersist
import JustPersistConformance
import Testing

/// Queries give the same items with indexes and without.
@Suite struct IndexQueryTests {
    /// Two types with the same values, of which one has indexes.
    private struct Twins {
        static let names = Sample.names
        let indexes: [IndexSchema]

        init(_ random: inout RandomPredicates) {
            var indexes: [IndexSchema] = []
            for _ in 0..<(1 + random.int(0..<5)) {
                var names: [String] = []
                for _ in 0..<(1 + random.int(0..<3)) {
                    let name = random.name()
                    names.append(random.int(0..<6) == 0 ? name + ".x" : name)
                }
                indexes.append(IndexSchema(names, ignoresCase: random.int(0..<3) == 0))
            }
            self.indexes = indexes
        }

        func declare(in db: borrowing DataStoreWriter, withIndexes: Bool = true) throws {
            let attributes = Self.names.map { AttributeSchema($0) }
            try db.declare(ItemSchema("Plain", attributes: attributes))
            try db.declare(
                ItemSchema(
                    "Indexed", attributes: attributes, indexes: withIndexes ? indexes : []))
        }
    }

    private func add(
        _ count: Int, to db: borrowing DataStoreWriter, _ random: inout RandomPredicates
    ) throws {
        for _ in 0..<count {
            let plain = try db.create("Plain")
            let indexed = try db.create("Indexed")
            for name in Twins.names where random.int(0..<6) > 0 {
                let value = random.attributeValue()
                plain.setObject(value, forKey: name)
                indexed.setObject(value, forKey: name)
            }
        }
    }

    /// Changes and deletes items of both types alike.
    private func change(
        _ db: borrowing DataStoreWriter, _ random: inout RandomPredicates
    ) throws {
        let plain = try db.dynamicItems(DataStoreRequest(itemTypeKey: "Plain"))
        let indexed = try db.dynamicItems(DataStoreRequest(itemTypeKey: "Indexed"))
        try #require(plain.count == indexed.count)
        for (a, b) in zip(plain, indexed) {
            switch random.int(0..<6) {
            case 0:
                try db.delete(a)
                try db.delete(b)
            case 1, 2:
                let name = random.name()
                let value = random.attributeValue()
                a.setObject(value, forKey: name)
                b.setObject(value, forKey: name)
            default: break
            }
        }
    }

    /// The places, in the order of creation, of the items that a request gives; the request is random.
    private func compare(
        _ db: borrowing some DataStoreReadAccessor & ~Copyable, _ cases: Int,
        _ random: inout RandomPredicates,
        _ indexes: [IndexSchema]
    ) throws -> Int {
        var used = 0
        func places(_ key: String) throws -> [ItemID: Int] {
            let all = try db.dynamicItems(DataStoreRequest(itemTypeKey: key))
            return Dictionary(
                uniqueKeysWithValues: all.enumerated().map { ($1.uniqueToken, $0) })
        }
        let (plain, indexed) = (try places("Plain"), try places("Indexed"))
        for _ in 0..<cases {
            func request(_ key: String, _ other: DataStoreRequest? = nil) -> DataStoreRequest {
                DataStoreRequest(
                    type: ItemType(dynamic: key), predicate: other?.predicate,
                    sortDescriptors: other?.sortDescriptors, offset: other?.offset,
                    limit: other?.limit)
            }
            let first = request("Plain")
            if random.int(0..<6) > 0 {
                first.predicate =
                    random.bool() ? random.predicate() : random.simplePredicate()
            }
            var sort: [DataStoreSortDescriptor] = []
            for _ in 0..<random.int(0..<3) {
                sort.append(
                    DataStoreSortDescriptor(
                        key: random.name(), ascending: random.bool(),
                        textOrder: random.bool() ? .scalars : random.textOrder()))
            }
            first.sortDescriptors = sort
            if random.bool() { first.limit = random.int(0..<12) }
            if random.int(0..<4) == 0 { first.offset = random.int(0..<6) }
            let second = request("Indexed", first)
            // An operator that can never apply, which is refused with indexes and without.
            guard (try? db.count(first)) != nil else { continue }
            let expected = try db.items(first).map { plain[$0.uniqueToken] }
            let found = try db.items(second).map { indexed[$0.uniqueToken] }
            let question =
                "\(first.predicate.map { "\($0)" } ?? "all") by \(sort) \(first.offset ?? 0) \(first.limit ?? 0), indexes \(indexes), seed \(random.seed)"
            #expect(found == expected, "\(question)")
            #expect(try db.count(second) == expected.count, "\(question)")
            let plan = try db.explain(second)
            #expect(plan.matched == expected.count, "\(question)")
            if case .indexes = plan.access { used += 1 }
            if found != expected { break }
        }
        return used
    }

    @Test func anyRequestGivesTheSameWithIndexesAndWithout() throws {
        var random = RandomPredicates()
        print("seed \(random.seed)")
        var used = 0
        for _ in 0..<4 {
            let twins = Twins(&random)
            try Backend.memory.withStore { store in
                try store.write { db in
                    try twins.declare(in: db)
                    try add(150, to: db, &random)
                }
                used += try store.read { db in try compare(db, 60, &random, twins.indexes) }
                try store.write { db in
                    try change(db, &random)
                    used += try compare(db, 30, &random, twins.indexes)
                    try add(40, to: db, &random)
                    used += try compare(db, 30, &random, twins.indexes)
                }
                used += try store.read { db in try compare(db, 40, &random, twins.indexes) }
            }
        }
        // Otherwise the test would prove nothing.
        #expect(used > 10, "seed \(random.seed)")
    }

    @Test func anIndexThatIsDeclaredLaterHasTheItemsThatWereThere() throws {
        var random = RandomPredicates()
        var used = 0
        for _ in 0..<4 {
            let twins = Twins(&random)
            try Backend.memory.withStore { store in
                try store.write { db in
                    try twins.declare(in: db, withIndexes: false)
                    try add(150, to: db, &random)
                }
                try store.write { db in
                    try add(20, to: db, &random)
                    try twins.declare(in: db)
                    try add(20, to: db, &random)
                    _ = try compare(db, 10, &random, twins.indexes)
                }
                used += try store.read { db in try compare(db, 60, &random, twins.indexes) }
            }
        }
        #expect(used > 5, "seed \(random.seed)")
    }
}

extension RandomPredicates {
    /// Comparisons of attributes with constants, which indexes are for.
    mutating func simplePredicate() -> DataStorePredicate {
        func path(_ random: inout Self) -> DataStorePredicate.Expression {
            let name = random.name()
            return .path(.init(random.int(0..<6) == 0 ? [name, "x"] : [name]))
        }
        func comparison(_ random: inout Self) -> DataStorePredicate {
            let modifier: DataStorePredicate.Modifier = random.int(0..<6) == 0 ? .any : .direct
            let left = path(&random)
            let value = DataStorePredicate.Expression.value(random.attributeValue())
            let options: DataStorePredicate.Options =
                random.int(0..<3) == 0 ? .caseInsensitive : []
            switch random.int(0..<8) {
            case 0:
                let other = DataStorePredicate.Expression.value(random.attributeValue())
                return .comparison(
                    .init(
                        left, .between, .list([value, other]), modifier: modifier, options: options)
                )
            case 1:
                let others = (0..<random.int(0..<6)).map { _ in
                    DataStorePredicate.Expression.value(random.attributeValue())
                }
                return .comparison(
                    .init(left, .in, .list(others), modifier: modifier, options: options))
            case 2: return .comparison(.init(left, .contains, value, options: options))
            case 3: return .comparison(.init(value, .less, left, options: options))
            case 4:
                let text = String("ab éa".prefix(random.int(0..<3)))
                return .comparison(
                    .init(left, .beginsWith, .value(.string(text)), options: options))
            default:
                let relation =
                    ([.equal, .less, .lessOrEqual, .greater, .greaterOrEqual]
                    as [DataStorePredicate.Operator])[random.int(0..<5)]
                return .comparison(
                    .init(left, relation, value, modifier: modifier, options: options))
            }
        }
        let parts = (0..<(1 + int(0..<3))).map { _ in comparison(&self) }
        return parts.count == 1 ? parts[0] : int(0..<4) == 0 ? .or(parts) : .and(parts)
    }
}
