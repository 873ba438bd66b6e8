import JustPersist
import JustPersistRecords
import JustPersistSimulation
import Testing

/// One store, of which everything is asked at once.
@Suite struct StoreSimulationTests {
    /// Blocks that share commits: what was acknowledged is there, and what was refused is not.
    @Test(.simulated(seeds: 150)) func groupCommit() throws {
        try simulate { try Self.groups($0) }
    }

    static func groups(
        _ simulation: Simulation, _ make: @escaping StoreMaker = soundStore
    ) throws {
        let ledger = Ledger(simulation)
        for round in 0..<2 {
            try simulation.useStore(make) { store in
                try group(simulation, store, round, ledger)
            }
            try examine(simulation, make, ledger, "after round \(round)")
        }
    }

    private static func group(
        _ simulation: Simulation, _ store: any DataStore, _ round: Int, _ ledger: Ledger
    ) throws {
        struct Refused: Error {}
        let threads = (0..<4).map { thread in
            simulation.start("writer \(thread)") {
                try simulation.steps("\(round) \(thread)", upTo: 6) { number, random in
                    let name = "\(round).\(thread).\(random.below(2))"
                    let value = random.below(4) == 0 ? nil : number
                    if random.below(5) > 0 {
                        return try ledger.write(name, value) {
                            try store.write { try $0.set(name, value) }
                        }
                    }
                    // Rolled back alone.
                    do {
                        try store.write { db in
                            try db.set(name, 99)
                            // To answer this, the block writes its change into the transaction.
                            _ = try db.entries()
                            throw Refused()
                        }
                    } catch is Refused {
                    } catch {
                        try simulation.passingRefusals { throw error }
                    }
                }
            }
        }
        let order = Shared<[Int]>([])
        let count = 8
        for number in 0..<count {
            if number > 2 { simulation.sleep(for: .microseconds(50)) }
            let name = "\(round).queued.\(number)"
            let before = ledger.begin(name, number)
            store.enqueueWrite({ try $0.set(name, number) }) { error in
                ledger.end(name, number, before, error: error)
                order.value.append(number)
            }
        }
        for thread in threads { thread.join() }
        try simulation.wait { order.value.count >= count }
        try simulation.require(
            order.value == Array(0..<count), "completions: \(order.value)")
    }

    /// An observer receives every commit, in order, and nothing twice, across crashes.
    @Test(.simulated(seeds: 150)) func changeStreams() throws {
        try simulate { try Self.streams($0) }
    }

    static func streams(
        _ simulation: Simulation, _ make: @escaping StoreMaker = soundStore
    ) throws {
        let ledger = Ledger(simulation)
        let log = ChangeLogLength(commits: 500)
        // The observer's copy and its token; an observer of every deletion need not save them together.
        let isSavedTogether = simulation.seed % 2 == 0
        let saved = Shared<(copy: [ItemID: Int], token: ChangeToken?)>(([:], nil))
        for round in 0..<3 {
            try simulation.useStore(make, log: log) { store in
                let writers = (0..<2).map { thread in
                    simulation.start("writer \(thread)") {
                        try simulation.steps("\(round) \(thread)", upTo: 8) { number, random in
                            let name = "\(thread).\(random.below(3))"
                            let value = random.below(3) == 0 ? nil : number
                            try ledger.write(name, value) {
                                try store.write { try $0.set(name, value) }
                            }
                        }
                    }
                }
                defer { for writer in writers { writer.join() } }
                var observer = Observer(store, saved.value, isSavedTogether)
                try simulation.steps("observer \(round)", upTo: 8) { _, random in
                    simulation.sleep(for: .microseconds(random.below(300)))
                    try simulation.passingRefusals { try observer.follow() }
                    guard simulation.isAlive else { return }
                    saved.value.copy = observer.state.copy
                    if isSavedTogether || random.below(4) == 0 {
                        saved.value.token = observer.state.token
                    }
                }
                for writer in writers { writer.join() }
                try observer.follow()
                try observer.check(simulation)
                guard simulation.isAlive else { return }
                saved.value.copy = observer.state.copy
                if isSavedTogether { saved.value.token = observer.state.token }
            }
            try examine(simulation, make, ledger, "after round \(round)")
        }
        let store = make(simulation.disk(), log)
        try store.open()
        var observer = Observer(store, saved.value, isSavedTogether)
        try observer.follow()
        try observer.check(simulation)
        try store.close()
    }

    /// A copy of a store that follows its changes, saved with the place up to which it is one.
    private struct Observer {
        let store: any DataStore
        private let scope: ChangeScope
        /// `nil` if it is to be begun at the place of the state.
        private var observation: (any ChangeObservation)?
        var state: (copy: [ItemID: Int], token: ChangeToken?)

        init(
            _ store: any DataStore, _ state: (copy: [ItemID: Int], token: ChangeToken?),
            _ isSavedTogether: Bool
        ) {
            self.store = store
            scope = isSavedTogether ? .everything : .withEveryDeletion(in: .everything)
            self.state = state
        }

        mutating func follow() throws {
            do {
                // Not without end: a store with a planted fault has something new for ever.
                for _ in 0..<100 {
                    guard let set = try observe().poll() else { return }
                    if set.isComplete, set["Entry"]?.isComplete ?? true {
                        try apply(set)
                    } else {
                        try readAnew()
                    }
                }
            } catch {
                // A set that was taken and not applied is to be delivered again.
                observation = nil
                throw error
            }
        }

        private mutating func observe() throws -> any ChangeObservation {
            let current =
                try observation ?? store.observeChanges(scope, since: state.token)
            observation = current
            return current
        }

        private mutating func apply(_ set: ChangeSet) throws {
            var copy = state.copy
            if let changes = set["Entry"] {
                try store.read { db in
                    for id in changes.inserted + changes.updated.map(\.id) + changes.deleted {
                        copy[id] = try db.item(Entry.self, id: id)?.value
                    }
                }
            }
            state = (copy, set.token)
        }

        private mutating func readAnew() throws {
            var copy: [ItemID: Int] = [:]
            let token = try store.read { db in
                for entry in try db.items(Entry.self) { copy[entry.uniqueToken] = entry.value }
                return try db.changeToken
            }
            state = (copy, token)
            observation = nil
        }

        func check(_ simulation: Simulation) throws {
            var found: [ItemID: Int] = [:]
            try store.read { db in
                for entry in try db.items(Entry.self) { found[entry.uniqueToken] = entry.value }
            }
            try simulation.require(
                found == state.copy,
                "the observer has \(state.copy.values.sorted()), the store \(found.values.sorted())"
            )
        }
    }

    /// Indexes that are built while others write, and processes die.
    @Test(.simulated(seeds: 120)) func indexBuilds() throws {
        try simulate { try Self.indexes($0) }
    }

    static func indexes(
        _ simulation: Simulation, _ make: @escaping StoreMaker = soundStore
    ) throws {
        let ledger = Ledger(simulation)
        for round in 0..<3 {
            try simulation.useStore(make) { store in
                let writer = simulation.start("writer") {
                    try simulation.steps("writer \(round)", upTo: 12) { number, random in
                        let name = "\(round).\(random.below(5))"
                        let value = random.below(4) == 0 ? nil : number
                        try ledger.write(name, value) {
                            try store.write { try $0.set(name, value) }
                        }
                    }
                }
                defer { writer.join() }
                try simulation.steps("builder \(round)", upTo: 4) { _, random in
                    try simulation.passingRefusals {
                        switch random.below(4) {
                        case 0: try store.buildIndexes()
                        case 1: _ = try store.compact()
                        default:
                            let isUnique = random.below(2) == 0
                            try store.write { db in
                                let index = IndexSchema(
                                    isUnique ? ["name"] : ["value"], isUnique: isUnique)
                                try db.declare(
                                    ItemSchema(
                                        "Entry", attributes: Entry.schema.attributes,
                                        indexes: [index]))
                            }
                        }
                    }
                }
            }
            try examine(simulation, make, ledger, "after round \(round)")
        }
    }

    /// A store that is closed and opened while others use it.
    @Test(.simulated(seeds: 150)) func closing() throws {
        try simulate { try Self.closings($0) }
    }

    static func closings(
        _ simulation: Simulation, _ make: @escaping StoreMaker = soundStore
    ) throws {
        let ledger = Ledger(simulation)
        try simulation.process("app") {
            let store = make(simulation.disk(), nil)
            try simulation.passingRefusals { try store.open() }
            let pending = Shared(0)
            let threads = (0..<3).map { thread in
                simulation.start("user \(thread)") {
                    try simulation.steps("\(thread)", upTo: 8) { number, random in
                        let name = "\(thread).\(number)"
                        do {
                            switch random.below(3) {
                            case 0: _ = try store.read { try $0.entries() }
                            case 1:
                                pending.value += 1
                                let before = ledger.begin(name, number)
                                store.enqueueWrite({ try $0.set(name, number) }) { error in
                                    ledger.end(name, number, before, error: error)
                                    pending.value -= 1
                                }
                            default:
                                try ledger.write(name, number) {
                                    try store.write { try $0.set(name, number) }
                                }
                            }
                        } catch let error as DataStoreError where error.code == .notSetUp {
                            simulation.note("closed")
                        } catch {
                            try simulation.passingRefusals { throw error }
                        }
                    }
                }
            }
            try simulation.steps("closer", upTo: 5) { _, random in
                simulation.sleep(for: .microseconds(random.below(200)))
                try simulation.passingRefusals {
                    try store.close()
                    try store.open()
                }
            }
            for thread in threads { thread.join() }
            try? store.close()
            try simulation.wait { pending.value == 0 }
        }
        try examine(simulation, make, ledger, "at the end")
    }

    private static func examine(
        _ simulation: Simulation, _ make: StoreMaker, _ ledger: Ledger, _ place: String
    ) throws {
        let store = make(simulation.disk(), nil)
        try store.open()
        defer { try? store.close() }
        try store.buildIndexes()
        let found = try store.read { try $0.entries() }
        try ledger.check(found, place)
        for (name, value) in found.sorted(by: { $0.key < $1.key }) {
            let isFound = try store.read { db in
                try db.items(Entry.self, where: \.name == name).map(\.value) == [value]
            }
            try simulation.require(isFound, "\(place): “\(name)” is not found by its name")
        }
        let problems = try store.verify().problems
        try simulation.require(problems.isEmpty, "\(place): \(problems)")
    }
}
