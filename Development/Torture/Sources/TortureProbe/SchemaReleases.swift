import Foundation
import JustPersist
import Workload

/// Five releases of a program, each with one more step of a schema plan.
///
/// A run opens the store as a release does, and adds items; it may kill itself at any event: before a step or a batch, or
/// while an item is changed.
struct SchemaReleases {
    private static let items = 7
    private static let latest = 5

    /// Counts the events of a run, and kills the process at one of them.
    private final class Events: Sendable {
        // Counted on the thread of the write blocks only.
        nonisolated(unsafe) private var count = 0
        private let last: Int

        init(last: Int) { self.last = last }

        func next() {
            if count == last { kill(getpid(), SIGKILL) }
            count += 1
        }
    }

    private let arguments: Arguments
    private let events: Events

    init(_ arguments: Arguments) throws {
        self.arguments = arguments
        events = Events(last: try arguments.number("die", or: -1))
    }

    private var steps: [SchemaStep] {
        [
            SchemaStep("2 name") { db in
                try db.renameAttribute("title", to: "name", of: "Hotel")
                events.next()
            },
            SchemaStep("3 stars") { db in
                try db.convert("stars", of: "Hotel", to: .int) { text in
                    events.next()
                    return text.converted(to: .int)
                }
            },
            SchemaStep.batched(
                "4 address", of: "Hotel",
                adding: [
                    AttributeSchema("street", kinds: [.string]),
                    AttributeSchema("visits", kinds: [.int], default: .int(0)),
                ], batchSize: 2
            ) { hotel in
                events.next()
                guard case .string(let address) = hotel["address"],
                    case .int(let visits) = hotel["visits"]
                else { return }
                hotel["street"] = .string(String(address.prefix { $0 != "," }))
                hotel["visits"] = .int(visits + 1)
            },
            SchemaStep("5 no address") { db in
                try db.dropAttribute("address", of: "Hotel", erasingValues: true)
                events.next()
                try db.renameType("Hotel", to: "Inn")
            },
            SchemaStep.batched("5 visits", of: "Inn", batchSize: 3) { inn in
                events.next()
                guard case .int(let visits) = inn["visits"] else { return }
                inn["visits"] = .int(visits + 10)
            },
        ]
    }

    private func open(_ release: Int) throws -> any DataStore {
        let store = try arguments.store
        let steps = Array(steps.prefix(release == Self.latest ? steps.count : release - 1))
        let plan = SchemaPlan("app", release: "\(release)") { steps }
        try store.open(plan: plan) { _ in events.next() }
        return store
    }

    /// Opens the store as a release does, and adds its items.
    func run() throws {
        let release = try arguments.number("release", or: Self.latest)
        let store = try open(release)
        if try !arguments.flag("open") { try fill(store, release) }
        try store.close()
        Probe.say("done")
    }

    private func fill(_ store: any DataStore, _ release: Int) throws {
        let key = release < 5 ? "Hotel" : "Inn"
        var attributes = [
            AttributeSchema(release < 2 ? "title" : "name", kinds: [.string]),
            AttributeSchema("stars", kinds: [release < 3 ? .string : .int]),
            AttributeSchema(release < 4 ? "address" : "street", kinds: [.string]),
        ]
        if release >= 4 {
            attributes.append(AttributeSchema("visits", kinds: [.int], default: .int(0)))
        }
        try store.write { db in
            try db.declare(ItemSchema(key, attributes: attributes))
            for number in 0..<Self.items {
                let hotel = try db.create(key)
                hotel[release < 2 ? "title" : "name"] = .string("\(release)")
                hotel["stars"] = release < 3 ? .string("\(number)") : .int(Int64(number))
                if release < 4 {
                    hotel["address"] = .string("Street \(release), City")
                } else {
                    hotel["street"] = .string("Street \(release)")
                    // The step of release 4 has passed, and that of release 5 in its own items.
                    hotel["visits"] = .int(release < 5 ? 1 : 11)
                }
            }
        }
    }

    /// Looks for the items of some releases in a store of the latest one, and for every step in its history.
    func judge() throws {
        let releases = try arguments.text("releases").split(separator: ",").compactMap {
            Int($0)
        }
        let store = try open(Self.latest)
        let found = try store.read { db in
            try db.dynamicItems(DataStoreRequest(itemTypeKey: "Inn")).map { try $0.values() }
        }
        let expected: [[String: DataStoreValue]] = releases.flatMap { release in
            (0..<Self.items).map { number in
                [
                    "name": .string("\(release)"), "stars": .int(Int64(number)),
                    "street": .string("Street \(release)"), "visits": .int(11),
                ]
            }
        }
        guard found == expected else {
            Probe.fail(.wrongAnswer, "\(found)\nand not\n\(expected)")
        }
        let history = try store.schemaHistory()
        guard history.map(\.name) == steps.map(\.name), history.allSatisfy({ !$0.isUnfinished })
        else { Probe.fail(.wrongAnswer, "the history is \(history)") }
        let problems = try store.verify().problems
        if let first = problems.first { Probe.fail(.wrongAnswer, "\(first)") }
        try store.close()
        Probe.say("sound")
    }
}
