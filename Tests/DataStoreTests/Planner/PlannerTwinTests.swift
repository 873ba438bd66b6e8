import Foundation
import JustPersist
import JustPersistConformance
import Testing

/// Random requests and aggregations give the same with random indexes as without any, whatever the planner chooses.
///
/// There are enough items for each of its ways, and so few values that most conditions match many.
@Suite struct PlannerTwinTests {
    private static let names = ["a", "b", "c", "t", "tags", "d"]

    private static func declare(
        in db: borrowing DataStoreWriter, _ indexes: [IndexSchema]
    ) throws {
        let attributes = names.map { AttributeSchema($0) }
        try db.declare(ItemSchema("Plain", attributes: attributes))
        try db.declare(ItemSchema("Indexed", attributes: attributes, indexes: indexes))
    }

    @Test func theAnswerIsTheSameWhateverThePlanIs() throws {
        var random = RandomRequests()
        print("seed \(random.seed)")
        var uses = 0
        for round in 0..<3 {
            let indexes = random.indexes()
            try Backend.memory.withStore { store in
                let twins = Twins(indexes: indexes, seed: random.seed)
                try store.write { db in
                    try Self.declare(in: db, indexes)
                    // One round with values of one kind for each attribute, as classes have them.
                    random.isPlain = round == 0
                    try twins.add(1500, to: db, &random)
                }
                uses += try store.read { db in try twins.compare(db, 40, &random) }
                try store.write { db in
                    try twins.change(db, &random)
                    uses += try twins.compare(db, 12, &random)
                    try twins.add(30, to: db, &random)
                    uses += try twins.compare(db, 12, &random)
                }
                let child = try store.makeChild()
                try child.open()
                try child.write { db in
                    try twins.change(db, &random)
                    uses += try twins.compare(db, 8, &random)
                }
                uses += try child.read { db in try twins.compare(db, 20, &random) }
                try child.close()
            }
        }
        #expect(uses > 0, "seed \(random.seed)")
    }
}

/// Two types with the same items, of which one has indexes.
private struct Twins {
    let indexes: [IndexSchema]
    let seed: UInt64

    func add(
        _ count: Int, to db: borrowing DataStoreWriter, _ random: inout RandomRequests
    ) throws {
        for _ in 0..<count {
            let pair = [try db.create("Plain"), try db.create("Indexed")]
            for name in ["a", "b", "c", "t", "tags", "d"] where random.int(12) > 0 {
                let value = random.value(of: name)
                for item in pair { item[name] = value }
            }
        }
    }

    /// Changes and deletes some items of both types alike.
    func change(_ db: borrowing DataStoreWriter, _ random: inout RandomRequests) throws {
        let plain = try db.dynamicItems(DataStoreRequest(itemTypeKey: "Plain"))
        let indexed = try db.dynamicItems(DataStoreRequest(itemTypeKey: "Indexed"))
        try #require(plain.count == indexed.count)
        for (a, b) in zip(plain, indexed) {
            switch random.int(24) {
            case 0:
                try db.delete(a)
                try db.delete(b)
            case 1, 2:
                let name = random.name()
                let value = random.value(of: name)
                (a[name], b[name]) = (value, value)
            default: break
            }
        }
    }

    /// Compares random requests; gives how many used an index.
    func compare(
        _ db: borrowing some DataStoreReadAccessor & ~Copyable, _ cases: Int,
        _ random: inout RandomRequests
    ) throws -> Int {
        func places(_ key: String) throws -> [ItemID: Int] {
            let all = try db.dynamicItems(DataStoreRequest(itemTypeKey: key))
            return Dictionary(
                uniqueKeysWithValues: all.enumerated().map { ($1.uniqueToken, $0) })
        }
        let (plain, indexed) = (try places("Plain"), try places("Indexed"))
        var uses = 0
        for _ in 0..<cases {
            let first = random.request("Plain")
            let second = DataStoreRequest(
                type: ItemType(dynamic: "Indexed"), predicate: first.predicate,
                sortDescriptors: first.sortDescriptors, offset: first.offset, limit: first.limit)
            let question = """
                \(first.predicate.map { "\($0)" } ?? "all") by \(first.sortDescriptors ?? []) \
                \(first.offset ?? 0) \(first.limit ?? 0), indexes \(indexes.map(\.attributes)), seed \(seed)
                """
            // A path through an array is refused.
            guard let all = try? db.items(first) else { continue }
            let expected = all.map { plain[$0.uniqueToken] }
            let found = try db.items(second).map { indexed[$0.uniqueToken] }
            #expect(found == expected, "\(question)")
            var walked: [Int?] = []
            try db.forEach(second) { walked.append(indexed[$0.uniqueToken]) }
            #expect(walked == expected, "\(question)")
            #expect(try db.count(second) == expected.count, "\(question)")
            let plans = [try db.explain(second), try db.explain(.count, second)]
            #expect(plans.allSatisfy { $0.matched == expected.count }, "\(question)")
            let exists = try db.explain(.exists, second).matched
            #expect(exists == (try db.explain(.exists, first).matched), "\(question)")
            if case .indexes = plans[0].access { uses += 1 }

            let aggregation = random.aggregation()
            func rows(_ key: String) throws -> [[DataStoreValue]] {
                let request = DataStoreRequest(
                    type: ItemType(dynamic: key), predicate: first.predicate)
                return try db.aggregate(request, aggregation).map { row in
                    aggregation.columns.map { row[$0] }
                }
            }
            guard let other = try? rows("Plain") else { continue }
            let own = try rows("Indexed")
            let isSame =
                own.count == other.count
                && zip(own, other).allSatisfy { zip($0, $1).allSatisfy { $0.isIdentical(to: $1) } }
            let difference = zip(own, other).first { rows in
                !zip(rows.0, rows.1).allSatisfy { $0.isIdentical(to: $1) }
            }
            #expect(
                isSame,
                "\(own.count), \(other.count), \(String(reflecting: difference).prefix(300)): \(aggregation) of \(question)"
            )
            if found != expected || !isSame { break }
        }
        return uses
    }
}

/// Random values, indexes, requests and aggregations for the attributes of the twins.
private struct RandomRequests {
    private var random: RandomPredicates
    /// Whether each attribute has values of one kind.
    var isPlain = true

    init(seed: UInt64 = .random(in: 0 ... .max)) { random = RandomPredicates(seed: seed) }

    var seed: UInt64 { random.seed }

    mutating func int(_ limit: Int) -> Int { random.int(0..<limit) }
    mutating func name() -> String { pick(["a", "b", "c", "t", "tags", "d"]) }
    private mutating func pick<Value>(_ values: [Value]) -> Value { values[int(values.count)] }

    mutating func value(of name: String) -> DataStoreValue {
        if !isPlain, int(8) == 0 { return random.attributeValue() }
        switch name {
        case "a": return .int(Int64(int(4)))
        case "b": return isPlain || int(3) > 0 ? .int(Int64(int(30))) : .double(Double(int(60)) / 2)
        case "c": return int(10) == 0 ? .int(Int64(int(400))) : .null
        case "t":
            return .string(
                pick(["abc", "abd", "Abc", "ab", "x", isPlain ? "é" : "e\u{301}"]) + "\(int(12))")
        case "tags": return .array((0..<int(4)).map { _ in .int(Int64(int(6))) })
        default:
            return .dictionary([
                "x": isPlain || int(40) > 0 ? .int(Int64(int(50))) : value(of: "tags")
            ])
        }
    }

    mutating func indexes() -> [IndexSchema] {
        (0..<(2 + int(4))).map { _ in
            let names = pick([
                ["a"], ["b"], ["c"], ["t"], ["tags"], ["d.x"], ["a", "b"], ["a", "b", "c"],
                ["b", "a"], ["a", "d.x"], ["d.x", "b"], ["a", "t"], ["t", "b"], [name(), name()],
            ])
            return IndexSchema(names, ignoresCase: int(6) == 0)
        }
    }

    private mutating func comparison() -> DataStorePredicate {
        typealias Expression = DataStorePredicate.Expression
        let name = pick(["a", "a", "b", "b", "c", "t", "tags", "d"])
        let path = Expression.path(.init(name == "d" ? ["d", "x"] : [name]))
        let value = Expression.value(
            name == "d"
                ? .int(Int64(int(50))) : name == "tags" ? .int(Int64(int(6))) : value(of: name))
        let options: DataStorePredicate.Options = int(5) == 0 ? .caseInsensitive : []
        switch (name, int(9)) {
        case ("tags", 0...2): return .comparison(.init(value, .in, path))
        case ("tags", _): return .comparison(.init(path, .equal, value, modifier: .any))
        case ("t", 0):
            return .comparison(.init(path, .like, .value(.string("ab*")), options: options))
        case ("t", 1):
            return .comparison(
                .init(path, .like, .value(.string(pick(["abc?", "x*1", "a\\b*", "é*"])))))
        case ("t", 2):
            let pattern = pick(["ab.*", "abc[0-3]", "abc?1", "x|abc.*", "é.*"])
            return .comparison(.init(path, .matches, .value(.string(pattern)), options: options))
        case ("t", 3):
            return .comparison(.init(path, .beginsWith, .value(.string("ab")), options: options))
        case (_, 0): return .comparison(.init(path, .notEqual, .value(.null)))
        case (_, 1): return .not(.comparison(.init(path, .equal, .value(.null))))
        case (_, 2):
            let values = (0..<(1 + int(4))).map { _ in Expression.value(self.value(of: name)) }
            return .comparison(.init(path, .in, .list(values)))
        case (_, 3...5): return .comparison(.init(path, .equal, value, options: options))
        default:
            return .comparison(
                .init(path, pick([.less, .lessOrEqual, .greater, .greaterOrEqual]), value))
        }
    }

    private mutating func page() -> DataStorePredicate {
        let (a, b) = (value(of: "b"), value(of: "c"))
        func compare(
            _ name: String, _ relation: DataStorePredicate.Operator, _ value: DataStoreValue
        ) -> DataStorePredicate {
            .comparison(.init(.path(.init([name])), relation, .value(value)))
        }
        let relation: DataStorePredicate.Operator = int(2) == 0 ? .greater : .less
        return .or([
            compare("b", relation, a), .and([compare("b", .equal, a), compare("c", relation, b)]),
        ])
    }

    private mutating func predicate() -> DataStorePredicate {
        switch int(10) {
        case 0...2: return comparison()
        case 3, 4: return .and((0..<(2 + int(2))).map { _ in comparison() })
        case 5: return .or((0..<(2 + int(2))).map { _ in comparison() })
        case 6:
            return .and([comparison(), .or([comparison(), .and([comparison(), comparison()])])])
        case 7: return page()
        case 8: return .and([comparison(), page()])
        default: return .not(.or([comparison(), .not(comparison())]))
        }
    }

    mutating func request(_ key: String) -> DataStoreRequest {
        let request = DataStoreRequest(itemTypeKey: key)
        if int(5) > 0 { request.predicate = predicate() }
        var sort: [DataStoreSortDescriptor] = []
        for _ in 0..<int(4) {
            let key = pick(["a", "b", "b", "c", "t", "d.x", "uniqueToken"])
            sort.append(
                DataStoreSortDescriptor(
                    key: key, ascending: int(2) == 0,
                    textOrder: int(4) == 0 ? .caseInsensitive : .scalars))
        }
        request.sortDescriptors = sort
        if int(4) > 0 { request.limit = pick([1, 2, 5, 10, 40, 300]) }
        if int(2) == 0 { request.offset = pick([1, 3, 20, 200, 1200, 5000]) }
        return request
    }

    mutating func aggregation() -> DataStoreAggregation {
        let names = ["a", "b", "c", "t", "d.x", "tags"]
        switch int(5) {
        case 0: return DataStoreAggregation(groupedBy: [pick(names)], [])
        case 1: return DataStoreAggregation(groupedBy: [pick(names)], [.count])
        case 2: return DataStoreAggregation(groupedBy: ["a", pick(["b", "c", "t"])], [.count])
        case 3:
            return DataStoreAggregation([
                .min(pick(names)).named("x"), .max(pick(names)).named("y"),
            ])
        default: return DataStoreAggregation([.count, .max(pick(names)), .min("b").named("least")])
        }
    }
}

extension DataStoreValue {
    /// Whether another value has the same kind and, as far as a number or a text goes, the same bits.
    func isIdentical(to other: DataStoreValue) -> Bool {
        switch (self, other) {
        case (.double(let a), .double(let b)):
            a.bitPattern == b.bitPattern || a.isNaN && b.isNaN
        case (.date(let a), .date(let b)):
            DataStoreValue.double(a.timeIntervalSinceReferenceDate)
                .isIdentical(to: .double(b.timeIntervalSinceReferenceDate))
        case (.decimal(let a), .decimal(let b)): a == b || a.isNaN && b.isNaN
        case (.string(let a), .string(let b)): Array(a.utf8) == Array(b.utf8)
        default: kind == other.kind && sortOrder(against: other) == .same
        }
    }
}
