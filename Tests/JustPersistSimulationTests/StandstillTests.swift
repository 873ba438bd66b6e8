import Dispatch
import Foundation
import JustPersist
import JustPersistRecords
import JustPersistSimulation
import Testing

/// Runs that do not come to their ends, and uses of a simulation from outside.
@Suite struct StandstillTests {
    private func message(_ run: SimulatedRun) -> String { run.failure.map { "\($0)" } ?? "" }

    /// The threads of runs that stood still were kept, until the process had no more of them.
    @Test func aRunThatStandsStillKeepsNoThreads() async throws {
        let before = Self.threads
        for _ in 0..<10 {
            let run = SimulatedRun(seed: 1, decisions: []) { simulation in
                let change = Locked(false)
                for number in 0..<60 {
                    simulation.start("waiter \(number)") { change.wait { $0 ? () : nil } }
                }
            }
            #expect(message(run).contains("“waiter 59” waits for a change"))
        }
        for _ in 0..<1000 where Self.threads > before + 200 {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(Self.threads <= before + 200)
    }

    /// The number of threads of this process; 0 where the system does not say.
    private static var threads: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
    }

    /// The threads go on to their ends, with calls that fail.
    @Test func aRunThatStandsStillUnwindsItsThreads() {
        let ended = Shared<[String]>([])
        let run = SimulatedRun(seed: 1, decisions: []) { simulation in
            defer { ended.value.append("main") }
            let store = simulation.disk().store()
            try store.open()
            defer { try? store.close() }
            let first = Shared<SimulatedThread?>(nil)
            let second = simulation.start("second") {
                defer { ended.value.append("second") }
                try simulation.wait { first.value != nil }
                first.value?.join()
            }
            first.value = simulation.start("first") {
                defer { ended.value.append("first") }
                second.join()
                _ = try store.read { try $0.schemas() }
                ended.value.append("read")
            }
            first.value?.join()
            first.value = nil
        }
        #expect(message(run).contains("“first” waits for “second” to end"))
        #expect(ended.value.sorted() == ["first", "main", "second"])
    }

    /// A loop without an end names the threads, and what they wait for.
    @Test func aRunWithoutAnEndNamesItsThreads() {
        let run = SimulatedRun(seed: 1, decisions: []) { simulation in
            let thread = simulation.start("waiter") {
                while true { simulation.sleep(for: .milliseconds(1)) }
            }
            thread.join()
        }
        #expect(message(run).contains("does not end"))
        #expect(message(run).contains("“main” waits for “waiter” to end"))
    }

    /// A task inherited the simulation of the thread that made it, and crashed the process.
    @Test func aTaskInASimulationFailsTheRun() {
        let run = SimulatedRun(seed: 1, decisions: []) { simulation in
            let store = simulation.disk().store()
            try store.open()
            let hasEnded = DispatchSemaphore(value: 0)
            Task(executorPreference: ThreadExecutor()) {
                store.enqueueWrite({ _ in }, completion: { _ in })
                hasEnded.signal()
            }
            hasEnded.wait()
        }
        #expect(message(run).contains("outside of the simulation has used it"))
    }

    /// A call of a disk by a thread of the system is refused.
    @Test func aThreadOfTheSystemFailsTheRun() {
        let run = SimulatedRun(seed: 1, decisions: []) { simulation in
            let store = simulation.disk().store()
            try store.open()
            let hasEnded = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                _ = try? store.read { try $0.schemas() }
                hasEnded.signal()
            }
            hasEnded.wait()
            try store.close()
        }
        #expect(message(run).contains("outside of the simulation has used it"))
    }

    /// The test hung without a word.
    @Test func aThreadThatWaitsForTheSystemIsNamed() {
        let signal = DispatchSemaphore(value: 0)
        let run = SimulatedRun.$patience.withValue(.milliseconds(300)) {
            SimulatedRun(seed: 1, decisions: []) { simulation in
                simulation.start("teller") { signal.wait() }.join()
            }
        }
        signal.signal()
        #expect(message(run).contains("“teller” has come to no point"))
    }

    /// Its queues have no threads any more.
    @Test func aStoreOfAnotherSimulationIsRefused() {
        let store = Shared<RecordStore<SimulatedEngine>?>(nil)
        let first = SimulatedRun(seed: 1, decisions: []) { simulation in
            store.value = simulation.disk().store()
            try store.value?.open()
        }
        #expect(first.failure == nil)
        let second = SimulatedRun(seed: 1, decisions: []) { _ in
            store.value?.enqueueWrite({ _ in }, completion: { _ in })
            try store.value?.close()
        }
        #expect(message(second).contains("“main” uses a store that was made in another simulation"))
    }

    @Test func aThreadOfTheSystemDoesNotWaitInASimulation() {
        let simulation = Shared<Simulation?>(nil)
        _ = SimulatedRun(seed: 1, decisions: []) { simulation.value = $0 }
        #expect(throws: SimulationFailure.self) { try simulation.value?.wait { false } }
    }

    /// The time of a thread that sleeps for a day counted for the others.
    @Test(.simulated(seeds: 200)) func aWaitIsNotLateWhereAnotherThreadSleepsForADay() throws {
        try simulate { simulation in
            simulation.start("sleeper") { simulation.sleep(for: .seconds(86400)) }
            let isDone = Shared(false)
            let number = Locked(0)
            simulation.start("worker") {
                for _ in 0..<20 {
                    number.change { $0 += 1 }
                    simulation.sleep(for: .milliseconds(1))
                }
                isDone.value = true
            }
            try simulation.wait { isDone.value }
        }
    }

    /// Without a decision the thread that waits in a loop kept the others from ending its wait.
    @Test func aLoopThatWaitsLetsOthersGoOn() {
        let run = SimulatedRun(seed: 1, decisions: []) { simulation in
            let store = simulation.disk().store()
            try store.open()
            let isDone = Shared(false)
            simulation.start("worker") { isDone.value = true }
            while !isDone.value { _ = try store.read { try $0.schemas() } }
            try store.close()
        }
        #expect(run.failure == nil)
    }
}

/// Runs a task on a thread of its own: those of Swift's pool may all be in simulations.
private final class ThreadExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { [self] in
            // Unsafe because a job runs once: this is the only run.
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
