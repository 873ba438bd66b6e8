import Foundation
import JustPersist
import Workload

/// Items that get an index when they are there.
enum IndexedItems {
    private static let type = "Thing"
    private static let values = 1000

    private static func schema(_ indexes: [IndexSchema]) -> ItemSchema {
        ItemSchema(
            type, attributes: [AttributeSchema("number"), AttributeSchema("name")],
            indexes: indexes)
    }

    /// Writes items without an index.
    static func make(_ arguments: Arguments) throws {
        let store = try arguments.store
        try store.open()
        let count = try arguments.number("items", or: 0)
        for start in stride(from: 0, to: count, by: 50_000) {
            try store.write { db in
                try db.declare(schema([]))
                for number in start..<min(count, start + 50_000) {
                    let item = try db.create(type)
                    item["number"] = .int(Int64(number % values))
                    item["name"] = .string("thing \(number)")
                }
            }
        }
        try store.close()
    }

    /// Declares an index, writes all of its entries, and says so.
    static func build(_ arguments: Arguments) throws {
        let store = try arguments.store
        try store.open()
        try store.write { db in
            try db.declare(
                schema([IndexSchema(["number"]), IndexSchema(["name"], isUnique: true)]))
        }
        try store.buildIndexes()
        try store.close()
        Probe.say("ready")
    }

    /// Asks for items by the index, whatever is there of it, completes it, and has the store verify itself.
    static func judge(_ arguments: Arguments) throws {
        let store = try arguments.store
        try store.open()
        let expected = try arguments.number("items", or: 0) / values
        func check(_ when: String) throws {
            try store.read { db in
                for number in stride(from: 0, to: values, by: 97) {
                    let request = DataStoreRequest(
                        type: ItemType(dynamic: type),
                        predicate: try DataStorePredicate("number == %d", number))
                    let plan = try db.explain(request)
                    guard plan.matched == expected else {
                        Probe.fail(
                            .wrongAnswer, "\(when) \(plan.matched) of \(expected) found: \(plan)")
                    }
                }
            }
        }
        try check("before")
        var wasComplete = true
        try store.buildIndexes { _ in wasComplete = false }
        try check("behind")
        let problems = try store.verify().problems
        if let first = problems.first { Probe.fail(.wrongAnswer, "\(first)") }
        try store.close()
        Probe.say(wasComplete ? "complete" : "completed")
    }
}
