import JustPersist
import JustPersistRecords
import JustPersistSimulation
import Testing

/// Child stores, whose parent others write to.
@Suite struct ChildSimulationTests {
    /// A child that is merged shows no value over a newer one of its parent.
    @Test(.simulated(seeds: 130)) func aBlockOfAChildSeesOneState() throws {
        try simulate { try Self.oneState($0) }
    }

    static func oneState(
        _ simulation: Simulation, _ make: @escaping StoreMaker = soundStore
    ) throws {
        let store = make(simulation.disk(), nil)
        try store.open()
        let child = try store.makeChild()
        try child.open()
        try store.write { db in
            for name in ["a", "b"] { try db.set(name, 0) }
        }
        let isDone = Shared(false)
        let reader = simulation.start("reader") {
            while !isDone.value {
                let found = try child.read { try $0.entries() }
                // Only what is not merged is newer in “a”.
                let (a, b) = (found["a"] ?? 0, found["b"] ?? 0)
                try simulation.require(a >= b, "“a” is \(a) beside \(b)")
                simulation.sleep(for: .microseconds(20))
            }
        }
        try simulation.steps("writer", upTo: 6) { number, random in
            let value = number * 10
            try child.write { try $0.set("a", value + 1) }
            _ = try store.merge(child, policy: random.below(2) == 0 ? .childWins : .fail)
            try store.write { db in
                for name in ["a", "b"] { try db.set(name, value + 5) }
            }
        }
        isDone.value = true
        reader.join()
        try child.close()
        try store.close()
    }

    /// Each entry has one writer, in the parent or in a child: nothing is lost, whatever is merged when.
    @Test(.simulated(seeds: 120)) func mergesLoseNothing() throws {
        try simulate { try Self.merges($0) }
    }

    static func merges(
        _ simulation: Simulation, _ make: @escaping StoreMaker = soundStore
    ) throws {
        let ledger = Ledger(simulation)
        for round in 0..<2 {
            try simulation.useStore(make) { store in
                let threads = (0..<2).map { number in
                    simulation.start("child \(number)") {
                        try simulation.passingRefusals {
                            try useChild(
                                of: store, simulation, "\(round).c\(number)", ledger)
                        }
                    }
                }
                defer { for thread in threads { thread.join() } }
                try simulation.steps("parent \(round)", upTo: 8) { number, random in
                    let name = "\(round).p.\(random.below(3))"
                    try ledger.write(name, number) {
                        try store.write { try $0.set(name, number) }
                    }
                }
            }
            let store = make(simulation.disk(), nil)
            try store.open()
            try ledger.check(try store.read { try $0.entries() }, "after round \(round)")
            let problems = try store.verify().problems
            try simulation.require(problems.isEmpty, "\(problems)")
            try store.close()
        }
    }

    private static func useChild(
        of store: any DataStore, _ simulation: Simulation, _ name: String, _ ledger: Ledger
    ) throws {
        let child = try store.makeChild()
        try child.open()
        defer { try? child.close() }
        var pending: [String: Int?] = [:]
        try simulation.steps(name, upTo: 8) { number, random in
            let entry = "\(name).\(random.below(3))"
            let value = random.below(4) == 0 ? nil : number
            try simulation.passingRefusals {
                try child.write { try $0.set(entry, value) }
                pending[entry] = value
            }
            let found = try child.read { try $0.entries() }
            for (name, value) in pending where simulation.isAlive {
                try simulation.require(
                    found[name] == value, "the child has lost its change of “\(name)”")
            }
            guard random.below(2) == 0 else { return }
            let merged = pending
            let before = merged.map { ($0, $1, ledger.begin($0, $1)) }
            var failure: (any Error)?
            do { _ = try store.merge(child, policy: .childWins) } catch { failure = error }
            for (name, value, before) in before { ledger.end(name, value, before, error: failure) }
            if let failure {
                try simulation.passingRefusals { throw failure }
            } else {
                pending = [:]
            }
        }
    }
}
