import Foundation
import JustPersist
import JustPersistMemory
import Workload

/// Asks one question of two types with the same items, of which one has indexes.
struct IndexInputs {
    let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    private static let names = ["a", "b", "c"]
    private static let items = 160

    func run() throws {
        let file = try arguments.text("file")
        var random = SeededGenerator(
            seed: try arguments.workload.seed, try arguments.number("batch", or: 0), 77)
        let store = InMemoryDataStore()
        try store.open()
        let indexes = (0..<random.int(in: 1..<5)).map { _ in
            IndexSchema(
                (0..<random.int(in: 1..<4)).map { _ in
                    random.pick(Self.names) + (random.int(in: 0..<6) == 0 ? ".x" : "")
                }, ignoresCase: random.int(in: 0..<3) == 0)
        }
        try store.write { db in
            try db.declare(Self.schema("Plain", []))
            try db.declare(Self.schema("Indexed", indexes))
            for _ in 0..<Self.items {
                let items = [try db.create("Plain"), try db.create("Indexed")]
                for name in Self.names where random.int(in: 0..<8) > 0 {
                    let value = Self.value(&random)
                    for item in items { item[name] = value }
                }
            }
        }
        var used = 0
        let inputs = try arguments.number("inputs", or: 1)
        try store.read { db in
            var places: [[ItemID: Int]] = []
            for key in ["Plain", "Indexed"] {
                let all = try db.dynamicItems(DataStoreRequest(itemTypeKey: key))
                places.append(
                    Dictionary(uniqueKeysWithValues: all.enumerated().map { ($1.id, $0) }))
            }
            for _ in 0..<inputs {
                let request = DataStoreRequest(itemTypeKey: "Plain")
                if random.int(in: 0..<8) > 0 { request.predicate = Self.predicate(&random) }
                request.sortDescriptors = (0..<random.int(in: 0..<3)).map { _ in
                    DataStoreSortDescriptor(
                        key: random.pick(Self.names), ascending: random.int(in: 0..<2) == 0,
                        textOrder: random.pick([.scalars, .scalars, .caseInsensitive, .numeric]))
                }
                if random.int(in: 0..<2) == 0 { request.limit = random.int(in: 0..<9) }
                if random.int(in: 0..<4) == 0 { request.offset = random.int(in: 0..<5) }
                let question =
                    "\(request.predicate.map { "\($0)" } ?? "all"), \(request.sortDescriptors ?? []), \(request.offset ?? 0), \(request.limit ?? 0), \(indexes)"
                try Data(question.utf8).write(to: URL(filePath: file))
                let other = DataStoreRequest(
                    type: ItemType(dynamic: "Indexed"), predicate: request.predicate,
                    sortDescriptors: request.sortDescriptors, offset: request.offset,
                    limit: request.limit)
                let expected = try db.items(request).map { places[0][$0.uniqueToken] }
                let found = try db.items(other).map { places[1][$0.uniqueToken] }
                let count = try db.count(other)
                guard found == expected, count == expected.count else {
                    Probe.fail(.wrongAnswer, "\(question): \(found), not \(expected)")
                }
                if case .indexes = try db.explain(other).access { used += 1 }
            }
        }
        try store.close()
        Probe.say("accepted \(used)")
    }

    private static func schema(_ key: String, _ indexes: [IndexSchema]) -> ItemSchema {
        ItemSchema(key, attributes: names.map { AttributeSchema($0) }, indexes: indexes)
    }

    private static let pool: [DataStoreValue] = [
        .null, .bool(true), .int(0), .int(1), .int(5), .int(.max), .int((1 << 53) + 1),
        .double(-0.0),
        .double(0.5), .double(0x1p53), .double(.nan), .double(.infinity), .decimal(5),
        .decimal(Decimal(string: "0.1") ?? 0), .string(""), .string("a"), .string("A"),
        .string("ab"), .string("e\u{301}"), .string("é"), .string("É"), .string("a10"),
        .string("A9"),
        .string("a\0b"), .string("日本"),
        .string(String(repeating: "long ", count: 120) + "a"),
        .string(String(repeating: "long ", count: 120) + "b"),
        .date(Date(timeIntervalSinceReferenceDate: 1)), .data(Data([0, 1])), .data(Data()),
        .uuid(ItemID(high: 7, low: 1).uuid),
    ]

    private static func value(_ random: inout SeededGenerator) -> DataStoreValue {
        switch random.int(in: 0..<12) {
        case 0: .array((0..<random.int(in: 0..<4)).map { _ in random.pick(pool) })
        case 1: .dictionary(["x": random.pick(pool)])
        case 2: .int(Int64(random.int(in: 0..<40)))
        default: random.pick(pool)
        }
    }

    private static func predicate(_ random: inout SeededGenerator) -> DataStorePredicate {
        let parts = (0..<random.int(in: 1..<4)).map { _ in comparison(&random) }
        switch random.int(in: 0..<8) {
        case 0: return .or(parts)
        case 1: return .not(.and(parts))
        default: return .and(parts)
        }
    }

    private static func comparison(_ random: inout SeededGenerator) -> DataStorePredicate {
        typealias Operand = DataStorePredicate.Expression
        let name = random.pick(names)
        let path = Operand.path(.init(random.int(in: 0..<6) == 0 ? [name, "x"] : [name]))
        let constant = Operand.value(value(&random))
        let options: DataStorePredicate.Options =
            random.int(in: 0..<3) == 0 ? .caseInsensitive : []
        let modifier: DataStorePredicate.Modifier =
            random.pick([.direct, .direct, .direct, .direct, .any, .all])
        switch random.int(in: 0..<10) {
        case 0:
            return .comparison(
                .init(
                    path, .between, .list([constant, .value(value(&random))]), modifier: modifier,
                    options: options))
        case 1:
            let list = (0..<random.int(in: 0..<6)).map { _ in Operand.value(value(&random)) }
            return .comparison(
                .init(path, .in, .list(list), modifier: modifier, options: options))
        case 2: return .comparison(.init(path, .contains, constant, options: options))
        case 3: return .comparison(.init(constant, .in, path, options: options))
        case 4: return .comparison(.init(constant, random.pick([.less, .greaterOrEqual]), path))
        case 5:
            return .comparison(
                .init(
                    path, .beginsWith, .value(.string(random.pick(["", "a", "é", "lo", "A"]))),
                    options: options))
        default:
            let relation: DataStorePredicate.Operator = random.pick([
                .equal, .equal, .less, .lessOrEqual, .greater, .greaterOrEqual, .notEqual,
            ])
            return .comparison(
                .init(path, relation, constant, modifier: modifier, options: options))
        }
    }
}
