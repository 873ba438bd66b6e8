import Foundation
import JustPersist
import JustPersistMemory
import Workload

/// Parses formats that are almost predicates, and evaluates those that are.
struct PredicateInputs {
    let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    /// Every format is refused with an error, or parts the items in two: those that match, and those that match its
    /// negation.
    func run() throws {
        let file = try arguments.text("file")
        var random = SeededGenerator(
            seed: try arguments.workload.seed, try arguments.number("batch", or: 0))
        let store = InMemoryDataStore()
        try store.open()
        try fill(store)
        var accepted = 0
        for _ in 0..<(try arguments.number("inputs", or: 1)) {
            let format = String(
                decoding: JSONInputs.mutated(Array(Self.format(depth: 0, &random).utf8), &random),
                as: UTF8.self)
            try Data(format.utf8).write(to: URL(filePath: file))
            do throws(DataStoreError) {
                let predicate = try DataStorePredicate(
                    format, arguments: Self.arguments(of: format, &random))
                try check(predicate, format, store)
                accepted += 1
            } catch { continue }
        }
        try store.close()
        Probe.say("accepted \(accepted)")
    }

    private static let items = 24

    /// As many arguments as a format has places for, of kinds that suit or do not.
    private static func arguments(
        of format: String, _ random: inout SeededGenerator
    ) -> [Any?] {
        let values: [Any?] = [1, "a", 2.5, nil, Date(timeIntervalSince1970: 0), [1, 2], Data([0])]
        return zip(format, format.dropFirst()).filter { $0.0 == "%" }.map { place in
            place.1 == "K" ? random.pick(["a", "b", "a.c", ""]) : random.pick(values)
        }
    }

    private func fill(_ store: any DataStore) throws {
        var random = SeededGenerator(seed: 1)
        let values: [DataStoreValue] = [
            .null, .int(1), .int(-1), .double(2.5), .double(.nan), .string("a"), .string("É"),
            .string(""),
            .bool(true), .date(Date(timeIntervalSince1970: 0)), .array([.int(1), .string("a")]),
            .dictionary(["c": .int(1)]), .data(Data([0, 255])), .decimal(1),
        ]
        try store.write { accessor in
            try accessor.declare(
                ItemSchema(
                    "Item",
                    attributes: [AttributeSchema("a", kinds: []), AttributeSchema("b", kinds: [])]))
            for _ in 0..<Self.items {
                let item = try accessor.create("Item")
                for name in ["a", "b"] {
                    try item.backing.setValue(random.pick(values), forAttribute: name)
                }
            }
        }
    }

    private func check(
        _ predicate: DataStorePredicate, _ format: String, _ store: any DataStore
    ) throws(DataStoreError) {
        let counts: (Int, Int)
        do {
            counts = try store.read { accessor in
                (
                    try accessor.count(
                        DataStoreRequest(type: ItemType(dynamic: "Item"), predicate: predicate)),
                    try accessor.count(
                        DataStoreRequest(
                            type: ItemType(dynamic: "Item"), predicate: .not(predicate)))
                )
            }
        } catch let error as DataStoreError {
            throw error
        } catch {
            Probe.fail(.wrongAnswer, "another error than a store's: \(error)")
        }
        guard counts.0 + counts.1 == Self.items else {
            Probe.fail(.wrongAnswer, "“\(format)” matches \(counts.0), its negation \(counts.1)")
        }
    }

    private static func format(depth: Int, _ random: inout SeededGenerator) -> String {
        switch random.int(in: 0..<(depth > 4 ? 3 : 6)) {
        case 0, 1, 2:
            let comparison = random.pick([
                "==", "!=", "<", "<=", ">", ">=", "=", "<>", "CONTAINS", "BEGINSWITH[c]",
                "ENDSWITH[cd]", "LIKE",
                "IN", "BETWEEN", "MATCHES", "CONTAINS[d]",
            ])
            return "\(operand(&random)) \(comparison) \(operand(&random))"
        case 3: return "NOT (\(format(depth: depth + 1, &random)))"
        case 4:
            return "(\(format(depth: depth + 1, &random))) AND \(format(depth: depth + 1, &random))"
        default:
            return "\(format(depth: depth + 1, &random)) OR (\(format(depth: depth + 1, &random)))"
        }
    }

    private static func operand(_ random: inout SeededGenerator) -> String {
        random.pick([
            "a", "b", "a.c", "1", "-1", "2.5", "1e400", "\"a\"", "'É'", "\"\\u0041\"", "%@", "%K",
            "%d", "nil", "NULL",
            "TRUE", "{1, 2}", "{\"a\"}", "{}", "SELF", "$x", "9223372036854775808", "\"a*?\"",
            "FUNCTION(a)", "0x1F",
        ])
    }
}
