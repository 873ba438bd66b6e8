import Dispatch
import Foundation
import JustPersist
import JustPersistRecords
import JustPersistSimulation
import Testing

/// What a failing seed is reduced to, and how it is printed.
@Suite struct ReducingTests {
    /// A shorter list that failed for another reason was taken.
    @Test func aReducedRunFailsForTheSameReason() throws {
        let body: @Sendable (Simulation) throws -> Void = { simulation in
            var taken: [Int] = []
            try simulation.steps("step", upTo: 8) { number, _ in taken.append(number) }
            try simulation.require(taken.isEmpty || taken.contains(0), "The first is missing.")
            try simulation.require(taken.count < 2, "There are two.")
        }
        let run = try #require(
            (1...20).lazy.map { SimulatedRun(seed: $0, body) }.first { $0.decisions.count > 3 })
        let reduced = run.reduced(body)
        #expect("\(reduced.failure)" == "There are two.")
        #expect(reduced.decisions.count == 2)
    }

    /// A list with which a run stood still was taken too.
    @Test func aReducedRunDoesNotStandStill() throws {
        let body: @Sendable (Simulation) throws -> Void = { simulation in
            var taken: [Int] = []
            try simulation.steps("step", upTo: 8) { number, _ in taken.append(number) }
            if !taken.contains(0) { Locked(false).wait { $0 ? () : nil } }
            try simulation.require(taken.count < 2, "There are \(taken.count).")
        }
        let run = try #require(
            (1...20).lazy.map { SimulatedRun(seed: $0, body) }.first { $0.decisions.count > 3 })
        let reduced = run.reduced(body)
        #expect("\(reduced.failure)" == "There are 2.")
        #expect("\(reduced)".contains("// Before it was reduced: \(try #require(run.failure))"))
    }

    @Test func namesAndNotesArePrintedAsSource() {
        let body: @Sendable (Simulation) throws -> Void = { simulation in
            try simulation.steps("a \"quoted\" step", upTo: 1) { _, _ in
                simulation.note("one\ntwo")
            }
            throw SimulationFailure("It fails.")
        }
        let run = SimulatedRun(
            seed: 1, decisions: [.step("a \"quoted\" step", 0)], body)
        let printed = run.reduced { simulation in
            try body(simulation)
        }.description
        #expect(run.failure != nil)
        #expect(!printed.contains("\ntwo"))
        let decision = SimulationDecision.step("a \"quoted\" step", 0)
        #expect("\(decision)" == #".step("a \"quoted\" step", 0)"#)
    }

    /// The faults of the trait were left out.
    @Test func aRunThatDoesNotFailAgainIsPrintedWithItsFaults() {
        let count = Shared(0)
        let body: @Sendable (Simulation) throws -> Void = { _ in
            count.value += 1
            if count.value == 1 { throw SimulationFailure("It fails once.") }
        }
        let printed = SimulatedRun(seed: 4, faults: [.crashes, .delays], body).reduced(body)
            .description
        #expect(printed.contains("Seed 4 failed, but did not fail again"))
        #expect(
            printed.contains("@Test(.simulated(seeds: 1, from: 4, faults: [.crashes, .delays]))"))
    }

    @Test func aLongListIsNotPrinted() {
        let body: @Sendable (Simulation) throws -> Void = { simulation in
            for number in 0..<150 { try simulation.steps("step \(number)", upTo: 1) { _, _ in } }
            // A use from outside, with which it is not reduced.
            let engine = simulation.disk().engine()
            let hasEnded = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                try? engine.open()
                hasEnded.signal()
            }
            hasEnded.wait()
        }
        let printed = SimulatedRun(seed: 4, body).reduced(body).description
        #expect(printed.contains("@Test(.simulated(seeds: 1, from: 4))"))
        #expect(!printed.contains(".step("))
    }

    @Test(.simulated(seeds: 3, from: .max)) func theLastSeedIsFollowedByTheFirst() throws {
        let seeds = Shared<[UInt64]>([])
        try simulate { seeds.value.append($0.seed) }
        if ProcessInfo.processInfo.environment["JP_SEED"] == nil {
            #expect(seeds.value.prefix(3).allSatisfy { [.max, 0, 1].contains($0) })
        }
    }
}
