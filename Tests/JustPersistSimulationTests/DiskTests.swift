import Foundation
import JustPersist
import JustPersistRecords
import JustPersistSimulation
import Testing

/// The rules of disks, processes and directories.
@Suite struct DiskTests {
    /// The calls before a process counted, and an event at one of them never came.
    @Test func theCallsOfProcessesAreCounted() {
        let decision = SimulationDecision.fault(.refusedCommit, on: "disk.commit", call: 1)
        let run = SimulatedRun(seed: 1, decisions: [decision]) { simulation in
            let store = simulation.disk().store()
            try store.open()
            try store.write { try $0.set("a", 1) }
            try store.close()
            let ending = try simulation.process {
                let store = simulation.disk().store()
                try store.open()
                defer { try? store.close() }
                try store.write { try $0.set("a", 2) }
            }
            guard case .failed = ending else {
                throw SimulationFailure("The commit was not refused: \(ending)")
            }
        }
        #expect(run.failure == nil)
        #expect(run.unused.isEmpty)
        let never = SimulationDecision.fault(.refusedCommit, on: "disk.commit", call: 100)
        #expect(SimulatedRun(seed: 1, decisions: [never]) { _ in }.unused == [never])
    }

    @Test(.simulated(seeds: 1)) func twoStoresOverOneDiskAreRefused() throws {
        try simulate { simulation in
            let first = simulation.disk().store()
            try first.open()
            let second = simulation.disk().store()
            do {
                try second.open()
                throw SimulationFailure("Two stores are open.")
            } catch let error as DataStoreError where error.code == .alreadyOpen {}
            try first.close()
            try second.open()
            try second.close()
        }
    }

    @Test(.simulated(seeds: 1)) func aStoreOfAnotherProcessIsRefused() throws {
        try simulate { simulation in
            let kept = Shared<RecordStore<SimulatedEngine>?>(nil)
            try simulation.process {
                kept.value = simulation.disk().store()
                try simulation.passingRefusals { try kept.value?.open() }
            }
            do {
                _ = try kept.value?.read { try $0.schemas() }
                throw SimulationFailure("It was used.")
            } catch let error as DataStoreError
                where [.invalidRequest, .notSetUp].contains(error.code)
            {
            }
            // The ended process is no owner.
            let own = simulation.disk().store()
            try own.open()
            try own.close()
        }
    }

    /// A store that was never opened made the commits of another one durable.
    @Test func aReleasedStoreDoesNotMakeTheDiskDurable() {
        let losses = Shared(0)
        for seed in 1...20 as ClosedRange<UInt64> {
            let decision = SimulationDecision.fault(.deathAfterCommit, on: "disk.commit", call: 4)
            let run = SimulatedRun(seed: seed, decisions: [decision]) { simulation in
                let disk = simulation.disk(durability: .relaxed)
                try simulation.process {
                    let store = disk.store()
                    try store.open()
                    for number in 0..<6 {
                        try store.write { try $0.set("a", number) }
                        _ = disk.store()
                    }
                }
                let store = disk.store()
                try store.open()
                let found = try store.read { db in
                    try db.schemas().isEmpty ? [:] : db.entries()
                }
                if found["a"] ?? 0 < 1 { losses.value += 1 }
                try store.close()
            }
            #expect(run.failure == nil)
        }
        #expect(losses.value > 0)
    }

    /// Without decisions: a process that dies, or has not begun yet, leaves room for another one.
    @Test func processesRunOneAfterTheOther() {
        let run = SimulatedRun(seed: 1, decisions: []) { simulation in
            let (isRunning, isDone) = (Shared(false), Shared(false))
            let thread = simulation.start("other") {
                try simulation.process("first") {
                    isRunning.value = true
                    try simulation.wait { isDone.value }
                }
            }
            try simulation.wait { isRunning.value }
            do {
                try simulation.process("second") {}
                throw SimulationFailure("Two processes run at once.")
            } catch let failure as SimulationFailure {
                try simulation.require(
                    "\(failure)".contains("“first” has not ended"), "\(failure)")
            }
            isDone.value = true
            thread.join()
        }
        #expect(run.failure == nil)
    }

    /// Directories inside were deleted.
    @Test func aCrashKeepsSubdirectories() {
        let run = SimulatedRun(seed: 1, decisions: [.crash(process: "app", at: 1)]) { simulation in
            let directory = try simulation.directory()
            let inner = directory.appending(path: "a/b")
            try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
            let file = inner.appending(path: "c")
            try Data("kept".utf8).write(to: file)
            try simulation.process("app") {
                simulation.sleep(for: .milliseconds(1))
                try FileManager.default.removeItem(at: directory.appending(path: "a"))
            }
            try simulation.require(
                String(contentsOf: file, encoding: .utf8) == "kept", "The file is gone.")
        }
        #expect(run.failure == nil)
    }

    /// Predicates have the time of the simulation.
    @Test(.simulated(seeds: 1)) func aPredicateHasTheDateOfTheSimulation() throws {
        try simulate { simulation in
            let store = simulation.disk().store()
            try store.open()
            try store.write { db in
                try db.declare(
                    ItemSchema("Event", attributes: [AttributeSchema("date", kinds: [.date])]))
                try db.create("Event")["date"] = .date(simulation.date + 3600)
            }
            func past() throws -> Int {
                try store.read { db in
                    let request = DataStoreRequest(itemTypeKey: "Event")
                    request.predicate = try DataStorePredicate("date < now()")
                    return try db.performCount(request)
                }
            }
            try simulation.require(try past() == 0, "The event is past.")
            simulation.sleep(for: .seconds(7200))
            try simulation.require(try past() == 1, "The event is to come.")
            try store.close()
        }
    }
}
