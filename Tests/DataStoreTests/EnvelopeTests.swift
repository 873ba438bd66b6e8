import Foundation
import JustPersist
import JustPersistConformance
import JustPersistRecords
import Testing

/// A store on a server with the limits and faults of a distributed database keeps the contract, or says what it refuses.
struct EnvelopeTests {
    private typealias Store = RecordStore<EnvelopeEngine>

    /// Limits with a time that no test exceeds on a slow machine.
    private let patient = EnvelopeServer.Limits(seconds: 600)

    private let request = DataStoreRequest(itemTypeKey: "Entry")

    private func store(
        on server: EnvelopeServer, limits: DataStoreLimits? = nil
    ) throws -> Store {
        let store = Store(
            engine: EnvelopeEngine(server), limits: limits ?? server.limits.ofStore)
        try store.open()
        return store
    }

    private func withEntries(_ store: Store) throws -> Store {
        try store.write { db in
            try db.declare(
                ItemSchema(
                    "Entry",
                    attributes: [
                        AttributeSchema("number", isIndexed: true), AttributeSchema("a"),
                        AttributeSchema("b"), AttributeSchema("c"),
                    ]))
        }
        return store
    }

    private func code(of call: () throws -> Void) throws -> DataStoreError.Code {
        try #require(#expect(throws: DataStoreError.self) { try call() }).code
    }

    @Test func whatIsTooLargeIsRefused() throws {
        let server = EnvelopeServer(limits: patient)
        let store = try withEntries(store(on: server, limits: .contract))
        let careful = try self.store(on: server)
        let commits = server.counts.commits
        let data = Data(repeating: 7, count: 60_000)
        // Each value fits, and the record does not.
        #expect(
            try code {
                try store.write { db in
                    let item = try db.create("Entry")
                    for name in ["a", "b", "c"] { item[name] = .data(data) }
                }
            } == .limitExceeded)
        #expect(
            try code {
                try store.write { db in
                    for _ in 0..<200 { try db.create("Entry")["a"] = .data(data) }
                }
            } == .transactionTooLarge)
        // A store that knows the limits refuses at the change itself.
        #expect(
            try code { try careful.write { db in try db.create("Entry")["a"] = .data(data) } }
                == .limitExceeded)
        #expect(
            try code {
                try careful.write { db in
                    for _ in 0..<200 {
                        try db.create("Entry")["a"] = .data(data.prefix(40_000))
                    }
                }
            } == .limitExceeded)
        #expect(server.counts.commits == commits)
        #expect(try store.read { try $0.count(request) } == 0)
        try store.write { db in
            for _ in 0..<100 { try db.create("Entry")["a"] = .data(data) }
        }
        #expect(try careful.read { try $0.count(request) } == 100)
        #expect(try store.verify().problems.isEmpty)
    }

    @Test func aBlockThatLastsTooLongIsRefused() throws {
        let server = EnvelopeServer()
        let store = try withEntries(store(on: server))
        try store.write { db in try db.create("Entry")["number"] = .int(1) }
        #expect(
            try code {
                try store.performRead { db in
                    _ = try db.count(request)
                    server.pass(.seconds(6))
                    _ = try db.dynamicItems(request).map { $0["number"] }
                }
            } == .snapshotExpired)
        #expect(
            try code {
                try store.write { db in
                    try db.create("Entry")["number"] = .int(2)
                    server.pass(.seconds(6))
                }
            } == .snapshotExpired)
        #expect(try store.read { try $0.count(request) } == 1)
    }

    @Test func aBlockThatMissesACommitOfOthersConflicts() throws {
        let server = EnvelopeServer(limits: patient)
        let stores = try [withEntries(store(on: server)), store(on: server)]
        #expect(
            try code {
                try stores[0].write { db in
                    try db.create("Entry")["number"] = .int(1)
                    try stores[1].write { db in try db.create("Entry")["number"] = .int(2) }
                }
            } == .conflict)
        for store in stores {
            #expect(
                try store.read { try $0.dynamicItems(request).map { $0["number"] } } == [.int(2)])
        }
        try stores[0].write { db in try db.create("Entry")["number"] = .int(1) }
        #expect(try stores[1].read { try $0.count(request) } == 2)
        #expect(server.counts.conflicts == 1)
    }

    /// Blocks that each fit into a transaction are committed, also if they wait for each other.
    @Test func noBlockFailsOnTheSizeOfAnother() throws {
        let server = EnvelopeServer(limits: .init(transactionBytes: 10_000, seconds: 600))
        let store = try withEntries(store(on: server, limits: .contract))
        let left = Locked(60)
        for number in 0..<60 {
            store.writeAsync { db in
                let item = try db.create("Entry")
                item["number"] = .int(Int64(number))
                item["a"] = .data(Data(repeating: 7, count: 6_000))
            } completion: { (result: Result<Void, any Error>) in
                if case .failure(let error) = result { Issue.record(error) }
                left.change { $0 -= 1 }
            }
        }
        left.wait { $0 == 0 ? () : nil }
        #expect(try store.read { try $0.count(request) } == 60)
    }

    /// The result of each block is true: an acknowledged one is stored once, a refused one not at all, and the server knows
    /// the outcome of the others.
    @Test(arguments: 1...20) func theOutcomeOfEachBlockIsKnown(_ seed: Int) throws {
        let server = EnvelopeServer(limits: patient)
        let stores = try [withEntries(store(on: server)), store(on: server)]
        server.faults = .init(
            conflicts: 100, unknownOutcomes: 200, cuts: 50, seed: UInt64(seed))
        let stored = Locked<Set<Int64>>([])
        let codes = Locked<[DataStoreError.Code: Int]>([:])
        let left = Locked(4)
        for writer in 0..<4 {
            Thread {
                for round in 0..<50 {
                    let number = Int64(writer * 1_000 + round)
                    do {
                        try stores[writer % 2].write { db in
                            try db.create("Entry")["number"] = .int(number)
                            // Index entries and records of others are read, too.
                            let one = DataStoreRequest(itemTypeKey: "Entry")
                            one.predicate = try DataStorePredicate("number == \(number - 1)")
                            _ = try db.count(one)
                        }
                        stored.withLock { _ = $0.insert(number) }
                    } catch let error as DataStoreError {
                        codes.withLock { $0[error.code, default: 0] += 1 }
                        if let token = error.commitToken,
                            (try? server.outcome(of: token)) == .committed
                        {
                            stored.withLock { _ = $0.insert(number) }
                        }
                    } catch {
                        Issue.record(error)
                    }
                }
                left.change { $0 -= 1 }
            }.start()
        }
        left.wait { $0 == 0 ? () : nil }
        server.faults = .init()
        let known: Set<DataStoreError.Code> = [.connectionLost, .conflict, .commitOutcomeUnknown]
        #expect(codes.withLock { Set($0.keys) } == known)
        for store in stores {
            let numbers = try store.read { db in
                try db.dynamicItems(request).compactMap { item -> Int64? in
                    if case .int(let number) = item["number"] { number } else { nil }
                }
            }
            #expect(numbers.count == Set(numbers).count)
            #expect(Set(numbers) == stored.withLock { $0 }, "seed \(seed)")
            #expect(try store.verify().problems.isEmpty)
        }
        let counts = server.counts
        #expect(counts.unknownCommitted > 0 && counts.unknownNotCommitted > 0)
    }

    /// Entries of an index on many items are written in the background, and a conflict does not end that.
    @Test func anIndexIsBuiltInSpiteOfConflicts() throws {
        let server = EnvelopeServer(limits: .init(transactionBytes: .max, seconds: 600))
        let store = try withEntries(store(on: server, limits: .contract))
        try store.write { db in
            for number in 0..<15_000 { try db.create("Entry")["a"] = .int(Int64(number)) }
        }
        server.faults = .init(conflicts: 800, seed: 3)
        var isDeclared = false
        while !isDeclared {
            do {
                try store.write { db in
                    try db.declare(
                        ItemSchema(
                            "Entry",
                            attributes: [
                                AttributeSchema("number", isIndexed: true),
                                AttributeSchema("a", isIndexed: true), AttributeSchema("b"),
                                AttributeSchema("c"),
                            ]))
                }
                isDeclared = true
            } catch let error as DataStoreError where error.code == .conflict {}
        }
        let end = Surroundings.now + .seconds(60)
        func isReady() throws -> Bool {
            let one = DataStoreRequest(itemTypeKey: "Entry")
            one.predicate = try DataStorePredicate("a == 17")
            let plan = try store.read { db in try db.explain(one) }
            if case .indexes = plan.access { return true }
            return false
        }
        while try !isReady(), Surroundings.now < end { Thread.sleep(forTimeInterval: 0.2) }
        #expect(try isReady())
        #expect(server.counts.conflicts > 0)
    }

    enum Fixture: ConformanceFixture {
        static func makeStore(in directory: URL) -> RecordStore<EnvelopeEngine> {
            // Long blocks of a check on a slow machine are no fault.
            let server = EnvelopeServer(limits: .init(seconds: 600))
            return RecordStore(engine: EnvelopeEngine(server), limits: server.limits.ofStore)
        }

        static let knownFailures = [
            KnownFailure("engine/large-values", reason: "The server accepts no value of megabytes.")
        ]
    }

    @Test(arguments: ["prim/*,twin/*", "child/*,rel/*", "engine/*,idx/*,crud/*,tx/*,chg/*"])
    func theContractIsKeptWithinTheLimits(_ groups: String) async {
        let report = await Conformance.report(
            on: Fixture.self,
            options: ConformanceOptions(only: groups.split(separator: ",").map(String.init)),
            children: nil)
        #expect(report.isConformant, "\(report)")
        #expect(report.count(.pass) > 20, "\(report)")
    }
}
