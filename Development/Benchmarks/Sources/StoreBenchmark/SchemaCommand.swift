import ArgumentParser
import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistLevelDB

/// Measures what a schema costs that changes from release to release.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract:
            "Measures an applied plan, a changed declaration, a new attribute, and a step in batches."
    )

    @Option(help: "How many items each store holds.")
    var items = 1_000_000

    @Option(help: "How many rounds are counted.")
    var rounds = 5

    @Option(help: "Measures only this store: LMDB or LevelDB.")
    var store: String?

    private static let key = "Hotel"

    private static var attributes: [AttributeSchema] {
        [
            AttributeSchema("name", kinds: [.string]), AttributeSchema("stars", kinds: [.int]),
            AttributeSchema("address", kinds: [.string]),
        ]
    }

    func run() throws { try FileManager.default.withBenchmarkDirectory(run(in:)) }

    private func run(in directory: URL) throws {
        print("\(Machine.line), \(items) items, \(rounds) rounds, medians")
        let stores: [(name: String, open: (URL, SchemaPlan?) throws -> any DataStore)] = [
            ("LMDB", { try Self.open(LMDBDataStore(at: $0), $1) }),
            ("LevelDB", { try Self.open(LevelDBDataStore(at: $0), $1) }),
        ]
        for (name, open) in stores where self.store.map({ $0 == name }) ?? true {
            print("\n\(name)")
            let place = directory.appending(path: name)
            let filled = try open(place, nil)
            try fill(filled)
            try filled.close()
            try measureOpening(place, open)
            try measureDeclaration(place, open)
            try measurePredicate(place, open)
            try measureBatches(place, open)
            try FileManager.default.removeItem(at: place)
        }
    }

    private static func open(_ store: some DataStore, _ plan: SchemaPlan?) throws -> any DataStore {
        if let plan { try store.open(plan: plan) } else { try store.open() }
        return store
    }

    private func fill(_ store: any DataStore) throws {
        try store.write { db in
            for key in [Self.key, "Other"] {
                try db.declare(ItemSchema(key, attributes: Self.attributes))
            }
            for number in 0..<items {
                let hotel = DynamicItem(
                    Self.key,
                    values: [
                        "name": .string("Hotel \(number)"), "stars": .int(Int64(number % 5)),
                        "address": .string("Street \(number % 1000), City \(number % 77)"),
                    ])
                _ = try db.performInsert(hotel)
            }
        }
    }

    /// Opening and closing with a plan of 50 applied steps, and without a plan.
    private func measureOpening(
        _ place: URL, _ open: (URL, SchemaPlan?) throws -> any DataStore
    ) throws {
        let plan = SchemaPlan("bench", types: [BenchmarkHotel.self]) {
            for number in 0..<50 {
                SchemaStep("step \(number)") { _ in }
            }
        }
        try open(place, plan).close()
        var (plain, planned): ([Double], [Double]) = ([], [])
        for _ in 0..<max(rounds, 20) {
            plain.append(try milliseconds { try open(place, nil).close() })
            planned.append(try milliseconds { try open(place, plan).close() })
        }
        report("open and close", plain.median, "ms")
        report("open with 50 applied steps, and close", planned.median, "ms")
    }

    /// A write block that records another declaration of the type.
    private func measureDeclaration(
        _ place: URL, _ open: (URL, SchemaPlan?) throws -> any DataStore
    ) throws {
        let store = try open(place, nil)
        var (times, empty): ([Double], [Double]) = ([], [])
        for round in 0..<rounds {
            empty.append(try milliseconds { try write(one: "Other", in: store) })
            let added = AttributeSchema("added\(round)", kinds: [.int], default: .int(1))
            let schema = ItemSchema(Self.key, attributes: Self.attributes + [added])
            times.append(
                try milliseconds {
                    try store.write { db in
                        try db.declare(schema)
                        _ = try db.performInsert(DynamicItem(Self.key))
                    }
                })
        }
        try store.close()
        report("a block that creates one item", empty.median, "ms")
        report("such a block with a changed declaration", times.median, "ms")
    }

    private func write(one key: String, in store: any DataStore) throws {
        try store.write { db in _ = try db.performInsert(DynamicItem(key)) }
    }

    /// A count by an attribute that every second record lacks, beside one that all records have.
    private func measurePredicate(
        _ place: URL, _ open: (URL, SchemaPlan?) throws -> any DataStore
    ) throws {
        let store = try open(place, nil)
        try store.write { db in
            let schema = ItemSchema(
                Self.key,
                attributes: Self.attributes + [
                    AttributeSchema("half", kinds: [.int], default: .int(3)),
                    AttributeSchema("whole", kinds: [.int], default: .int(3)),
                ])
            try db.declare(schema)
            var isHalf = false
            for hotel in try db.dynamicItems(DataStoreRequest(itemTypeKey: Self.key)) {
                hotel["whole"] = .int(3)
                if isHalf { hotel["half"] = .int(3) }
                isHalf.toggle()
            }
        }
        var (half, whole): ([Double], [Double]) = ([], [])
        for _ in 0..<rounds {
            whole.append(try milliseconds { try count("whole", in: store) })
            half.append(try milliseconds { try count("half", in: store) })
        }
        try store.close()
        report("count by an attribute of all records", whole.median, "ms")
        report("count by one that every second record lacks", half.median / whole.median, "times")
    }

    private func count(_ attribute: String, in store: any DataStore) throws {
        let request = DataStoreRequest(itemTypeKey: Self.key)
        request.predicate = try DataStorePredicate("\(attribute) == 3")
        let count = try store.read { db in try db.count(request) }
        guard count >= items else {
            throw ValidationError("\(attribute): \(count) of \(items) items were counted.")
        }
    }

    /// A step in batches that changes each item.
    private func measureBatches(
        _ place: URL, _ open: (URL, SchemaPlan?) throws -> any DataStore
    ) throws {
        let plan = SchemaPlan("batches", types: [BenchmarkHotel.self]) {
            SchemaStep.batched(
                "street", of: Self.key, adding: [AttributeSchema("street", kinds: [.string])]
            ) { hotel in
                guard case .string(let address) = hotel["address"] else { return }
                hotel["street"] = .string(String(address.prefix { $0 != "," }))
            }
        }
        let before = ProcessMemory.now()?.own ?? 0
        var most = 0
        let store = try open(place, nil)
        let time = try milliseconds {
            try store.apply(plan) { _ in
                most = max(most, (ProcessMemory.now()?.own ?? 0) - before)
            }
        }
        try store.close()
        report("a step in batches", Double(items) / time * 1000, "items/s")
        report("memory of its own meanwhile", Double(most) / 1_048_576, "MB")
    }

    private func milliseconds(_ body: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        try body()
        return (ContinuousClock.now - start) / .milliseconds(1)
    }

    private func report(_ title: String, _ value: Double, _ unit: String) {
        print(
            title.padding(toLength: 48, withPad: " ", startingAt: 0)
                + String(format: "%12.2f ", value) + unit)
    }
}
