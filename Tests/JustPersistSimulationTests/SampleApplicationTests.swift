import JustPersist
import JustPersistRecords
import JustPersistSimulation
import Testing

/// A program that keeps accounts, and the mistakes that its blocks can have.
// Sendable because only one thread of a simulation runs at a time.
private final class Accounts: @unchecked Sendable {
    enum Mistake: CaseIterable {
        case lostUpdate, transferInTwoBlocks, checkOutsideOfTheBlock, cacheBeforeCommit
        case answerBeforeCommit, completionAssumesOrder
    }

    let store: any DataStore
    let mistake: Mistake?
    /// The balances as they were read last.
    private(set) var cache: [String: Int] = [:]

    init(_ store: any DataStore, _ mistake: Mistake?) {
        self.store = store
        self.mistake = mistake
    }

    func deposit(_ amount: Int, to name: String) throws {
        guard mistake == .lostUpdate else {
            return try store.write { try $0.set(name, ($0.entries()[name] ?? 0) + amount) }
        }
        let balance = try store.read { try $0.entries()[name] ?? 0 }
        try store.write { try $0.set(name, balance + amount) }
    }

    func transfer(_ amount: Int, from: String, to: String) throws {
        if mistake == .transferInTwoBlocks {
            try deposit(-amount, to: from)
            return try deposit(amount, to: to)
        }
        try store.write { db in
            let balances = try db.entries()
            try db.set(from, (balances[from] ?? 0) - amount)
            try db.set(to, (balances[to] ?? 0) + amount)
        }
    }

    /// Opens an account, unless there is one with that name.
    func register(_ name: String) throws -> Bool {
        if mistake == .checkOutsideOfTheBlock {
            let isKnown = try store.read { try $0.entries()[name] != nil }
            if isKnown { return false }
            try store.write { db in
                let entry = try db.create(Entry.self)
                entry.name = name
                entry.value = 0
            }
            return true
        }
        return try store.write { db in
            if try db.entries()[name] != nil { return false }
            try db.set(name, 0)
            return true
        }
    }

    func rename(_ name: String, to balance: Int) throws {
        if mistake == .cacheBeforeCommit {
            try store.write { db in
                try db.set(name, balance)
                self.cache[name] = balance
            }
        } else {
            try store.write { try $0.set(name, balance) }
            cache[name] = balance
        }
    }

    /// Queues an order, and calls back when it is safe.
    func order(_ number: Int, _ confirm: @escaping @Sendable () -> Void) {
        store.enqueueWrite({ try $0.set("order \(number)", number) }) { error in
            if error == nil, self.mistake != .answerBeforeCommit { confirm() }
        }
        if mistake == .answerBeforeCommit { confirm() }
    }

    /// Queues a value, and then reads it; `nil` if it was refused.
    func last(_ name: String, _ number: Int, _ simulation: Simulation) throws -> Int? {
        let outcome = Shared<Bool?>(nil)
        store.enqueueWrite({ try $0.set(name, number) }) { outcome.value = $0 == nil }
        if mistake != .completionAssumesOrder { try simulation.wait { outcome.value != nil } }
        if outcome.value == false { return nil }
        return try store.read { try $0.entries()[name] ?? -1 }
    }

    // MARK: What must hold

    /// Runs the program for a while, in a process that may die, and throws if something does not hold.
    static func scenario(_ simulation: Simulation, _ mistake: Mistake?) throws {
        let confirmed = Shared<Set<Int>>([])
        let deposits = Shared((possible: 0, certain: 0))
        try simulation.process("bank") {
            try simulation.passingRefusals {
                let accounts = Accounts(simulation.disk().store(), mistake)
                try accounts.store.open()
                defer { try? accounts.store.close() }
                try simulation.passingRefusals {
                    try accounts.transfer(100, from: "a", to: "b")
                }
                var threads: [SimulatedThread] = []
                defer { for thread in threads { thread.join() } }
                threads = (0..<2).map { thread in
                    simulation.start("teller \(thread)") {
                        try simulation.steps("teller \(thread)", upTo: 6) { step, random in
                            try simulation.passingRefusals {
                                switch random.below(6) {
                                case 0:
                                    deposits.value.possible += 1
                                    try accounts.deposit(1, to: "c")
                                    if simulation.isAlive { deposits.value.certain += 1 }
                                case 1: try accounts.transfer(5, from: "a", to: "b")
                                case 2: _ = try accounts.register("shared")
                                case 3:
                                    let number = thread * 100 + step
                                    accounts.order(number) {
                                        if simulation.isAlive { confirmed.value.insert(number) }
                                    }
                                case 4:
                                    let name = "renamed \(thread)"
                                    try? accounts.rename(name, to: step)
                                    let found = try accounts.store.read { try $0.entries()[name] }
                                    try simulation.require(
                                        accounts.cache[name] == found,
                                        "the cache has \(accounts.cache[name] ?? -1)")
                                default:
                                    let name = "last \(thread)"
                                    let found = try accounts.last(name, step, simulation)
                                    try simulation.require(
                                        found == nil || found == step, "“\(name)” is missing")
                                }
                            }
                        }
                    }
                }
            }
        }
        let store = simulation.disk().store()
        try store.open()
        let found = try store.read { try $0.entries() }
        try simulation.require((found["a"] ?? 0) + (found["b"] ?? 0) == 0, "money is lost")
        let deposited = found["c"] ?? 0
        try simulation.require(
            (deposits.value.certain...deposits.value.possible).contains(deposited),
            "\(deposited) was deposited, in \(deposits.value.certain) blocks or more")
        for number in confirmed.value.sorted() {
            try simulation.require(found["order \(number)"] == number, "order \(number) is lost")
        }
        try store.close()
    }

    static func found(_ mistake: Mistake) -> SimulatedRun? {
        for seed in 1...500 as ClosedRange<UInt64> {
            let run = SimulatedRun(seed: seed) { try scenario($0, mistake) }
            if run.failure != nil { return run }
        }
        return nil
    }
}

/// The promises of *Testing your own code*.
@Suite struct SampleApplicationTests {
    @Test(.simulated(seeds: 200)) func aProgramWithoutMistakesPasses() throws {
        try simulate { try Accounts.scenario($0, nil) }
    }

    /// The code of the article, which failed by itself.
    @Test(.simulated(seeds: 200)) func thereIsOneAccount() throws {
        try simulate { simulation in
            // Nothing fails outside of processes.
            let first = simulation.disk().store()
            try first.open()
            try first.write { db in
                let teller = AttributeSchema("teller", kinds: [.int])
                try db.declare(ItemSchema("Account", attributes: [teller]))
            }
            try first.close()

            try simulation.process("bank") {
                let store = simulation.disk().store()
                try store.open()
                defer { try? store.close() }
                let tellers = (0..<2).map { teller in
                    simulation.start("teller \(teller)") {
                        try store.write { db in
                            let all = DataStoreRequest(itemTypeKey: "Account")
                            let live: DynamicItem
                            if let account = try db.dynamicItems(all).first {
                                live = try db.mutableVersion(ofItem: account)
                            } else {
                                live = try db.create("Account")
                            }
                            live["teller"] = .int(Int64(teller))
                        }
                    }
                }
                for teller in tellers { teller.join() }
            }

            // The process has ended, or has died: look at what it has left.
            let last = simulation.disk().store()
            try last.open()
            let count = try last.read { db in
                try db.performCount(DataStoreRequest(itemTypeKey: "Account"))
            }
            try simulation.require(count <= 1, "there are \(count) accounts")
            try last.close()
        }
    }

    @Test(arguments: Accounts.Mistake.allCases)
    fileprivate func eachMistakeIsFound(_ mistake: Accounts.Mistake) throws {
        let run = try #require(Accounts.found(mistake), "\(mistake)")
        let reduced = run.reduced { try Accounts.scenario($0, mistake) }
        #expect(reduced.decisions.count <= min(run.decisions.count, 20))
        // The list by itself is enough.
        let again = SimulatedRun(seed: run.seed, decisions: reduced.decisions) {
            try Accounts.scenario($0, mistake)
        }
        #expect(again.failure != nil)
    }
}
