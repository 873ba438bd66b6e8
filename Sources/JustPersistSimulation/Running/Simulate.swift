import Foundation
import JustPersist
public import Testing

/// Runs a block once for each seed, each time in a new simulation.
///
/// The trait of the test sets the number of seeds: `@Test(.simulated(seeds: 10_000))`. Without a trait there are a
/// hundred. The first seed whose run fails ends the test. The error lists the shortest failing list of decisions that
/// was found, as a test to copy.
///
/// The call does not return before all runs have ended, and keeps a thread of the test runner until then. Give suites with
/// many long simulations the trait `.serialized`.
///
/// - Throws: ``SimulatedRunFailed`` for a run that fails.
public func simulate(_ body: @escaping @Sendable (Simulation) throws -> Void) throws {
    try SimulationPlan.current.run(body)
}

/// The runs of a test.
struct SimulationPlan: Sendable {
    @TaskLocal static var current = SimulationPlan()

    var seeds = 100
    var firstSeed: UInt64?
    var faults = SimulationFaults.all
    var decisions: [SimulationDecision]?

    func run(_ body: @escaping @Sendable (Simulation) throws -> Void) throws {
        if let decisions, let seed = firstSeed {
            let run = SimulatedRun(seed: seed, faults: faults, decisions: decisions, body)
            if let failure = run.failure { throw SimulatedRunFailed(run, failure) }
            return
        }
        let environment = ProcessInfo.processInfo.environment
        let first = environment["JP_SEED"].flatMap { UInt64($0) } ?? firstSeed ?? 1
        let count = environment["JP_SEEDS"].flatMap { Int($0) } ?? seeds
        for number in 0..<max(1, count) {
            let run = SimulatedRun(seed: first &+ UInt64(number), faults: faults, body)
            guard run.failure != nil else { continue }
            throw run.reduced(body)
        }
    }
}

/// One run of a block, with its result.
public struct SimulatedRun: Sendable {
    /// The number that determines the run.
    public let seed: UInt64
    /// The decisions that the run has made.
    public let decisions: [SimulationDecision]
    /// The decisions of a list that had no effect, because the run did not reach their points.
    public let unused: [SimulationDecision]
    /// The error with which the run failed; `nil` if it has not failed.
    public let failure: (any Error)?
    /// A number that is equal for runs with the same course.
    public let course: UInt64
    let faults: SimulationFaults
    let events: [String]

    /// The maximum time that a thread may take between two points of a simulation.
    @TaskLocal package static var patience = Duration.seconds(30)

    /// Runs a block.
    ///
    /// - Parameters:
    ///   - seed: The number that determines the run.
    ///   - faults: The kinds of faults that may happen.
    ///   - decisions: The only decisions to make; `nil` for those of the seed.
    ///   - body: The block, which describes the run.
    public init(
        seed: UInt64, faults: SimulationFaults = .all, decisions: [SimulationDecision]? = nil,
        _ body: @escaping @Sendable (Simulation) throws -> Void
    ) {
        self.init(Choices(seed: seed, faults: faults, replaying: decisions), decisions, body)
    }

    init(
        _ choices: Choices, _ decisions: [SimulationDecision]?,
        _ body: @escaping @Sendable (Simulation) throws -> Void
    ) {
        let simulation = Simulation(choices)
        course = simulation.run(body).trace
        seed = choices.seed
        faults = choices.faults
        self.decisions = (decisions ?? []) + choices.made
        unused = (decisions ?? []).filter { !choices.used.contains($0) }
        failure = simulation.failure
        events = simulation.scheduler.events
    }
}

/// Sets the seeds, or the one particular case, for which ``simulate(_:)`` runs its block.
public struct SimulationTrait: TestTrait, SuiteTrait, TestScoping {
    let plan: SimulationPlan

    /// A suite's tests inherit the trait.
    public var isRecursive: Bool { true }

    /// Runs a test with the trait.
    @concurrent public func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await SimulationPlan.$current.withValue(plan) { try await function() }
    }
}

extension Trait where Self == SimulationTrait {
    /// Runs the block of ``simulate(_:)`` once for each of many seeds.
    ///
    /// The variables `JP_SEEDS` and `JP_SEED` of the environment override the number and the first seed.
    public static func simulated(
        seeds: Int, from first: UInt64? = nil, faults: SimulationFaults = .all
    ) -> Self {
        Self(plan: SimulationPlan(seeds: seeds, firstSeed: first, faults: faults))
    }

    /// Runs the block once, with the decisions in the message of a failing seed.
    public static func simulated(
        seed: UInt64, decisions: [SimulationDecision]
    ) -> Self {
        Self(plan: SimulationPlan(firstSeed: seed, decisions: decisions))
    }
}
