import Foundation
import JustPersist
public import Testing

/// Runs a block once for each seed, in a simulation of its own.
///
/// The trait of the test sets the number of seeds: `@Test(.simulated(seeds: 10_000))`. Without a trait there are a hundred.
/// The first seed whose run fails ends the test, with the shortest list of decisions that was found to fail too: the test to
/// write for it.
///
/// - Throws: ``SimulatedRunFailed`` for a run that fails.
public func simulate(_ body: @escaping @Sendable (Simulation) throws -> Void) throws {
    try SimulationPlan.current.run(body)
}

/// The runs of a test.
public struct SimulationPlan: Sendable {
    @TaskLocal static var current = SimulationPlan()

    var seeds = 100
    var firstSeed: UInt64?
    var faults = SimulationFaults.all
    var decisions: [SimulationDecision]?

    func run(_ body: @escaping @Sendable (Simulation) throws -> Void) throws {
        if let decisions, let seed = firstSeed {
            let run = SimulatedRun(seed: seed, faults: faults, decisions: decisions, body)
            if let failure = run.failure { throw SimulatedRunFailed(run, failure, isReduced: true) }
            return
        }
        let environment = ProcessInfo.processInfo.environment
        let first = environment["JP_SEED"].flatMap { UInt64($0) } ?? firstSeed ?? 1
        let count = environment["JP_SEEDS"].flatMap { Int($0) } ?? seeds
        for seed in first..<(first + UInt64(max(1, count))) {
            let run = SimulatedRun(seed: seed, faults: faults, body)
            guard run.failure != nil else { continue }
            throw run.reduced(body)
        }
    }
}

/// One run of a block, and how it has ended.
public struct SimulatedRun: Sendable {
    /// The number that decides the run.
    public let seed: UInt64
    /// The decisions that the run has made.
    public let decisions: [SimulationDecision]
    /// Why it has failed; `nil` if it has not.
    public let failure: (any Error)?
    /// A number that runs have in common if they took the same course.
    public let course: UInt64
    let faults: SimulationFaults
    fileprivate let events: [String]

    /// Runs a block.
    ///
    /// - Parameters:
    ///   - seed: The number that decides the run.
    ///   - faults: The kinds of faults that may happen.
    ///   - decisions: The only decisions to make; `nil` for those of the seed.
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
        failure = simulation.failure
        events = simulation.scheduler.events
    }
}

/// A run that has failed, as the test to write for it.
public struct SimulatedRunFailed: Error, CustomStringConvertible, Sendable {
    /// The seed of the run.
    public let seed: UInt64
    /// The decisions that the failure needs.
    public let decisions: [SimulationDecision]
    /// The error of the run.
    public let failure: any Error
    private let events: [String]
    private let isReduced: Bool

    init(_ run: SimulatedRun, _ failure: any Error, isReduced: Bool) {
        seed = run.seed
        decisions = run.decisions
        events = run.events
        self.failure = failure
        self.isReduced = isReduced
    }

    /// The test as source code, and an account of the run.
    public var description: String {
        guard isReduced else {
            return """
                \(failure)
                Seed \(seed), which did not fail once more with its \(decisions.count.counted("decision")): the block depends on \
                something outside of the simulation. Run it with @Test(.simulated(seeds: 1, from: \(seed))).
                """
        }
        let list = decisions.map { "\n    \($0)," }.joined()
        let account = events.suffix(60).map { "\n// \($0)" }.joined()
        return """
            \(failure)
            Seed \(seed) fails with \(decisions.count.counted("decision")):
            @Test(.simulated(seed: \(seed), decisions: [\(list)
            ]))\(account)
            """
    }
}

/// Has ``simulate(_:)`` run its block more than once, or in one particular way.
public struct SimulationTrait: TestTrait, SuiteTrait, TestScoping {
    let plan: SimulationPlan

    /// The tests of a suite have it, too.
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
    /// The variables `JP_SEEDS` and `JP_SEED` of the environment take the place of the number and the first seed.
    public static func simulated(
        seeds: Int, from first: UInt64? = nil, faults: SimulationFaults = .all
    ) -> Self {
        Self(plan: SimulationPlan(seeds: seeds, firstSeed: first, faults: faults))
    }

    /// Runs the block once, as the message of a failing seed says.
    public static func simulated(
        seed: UInt64, decisions: [SimulationDecision]
    ) -> Self {
        Self(plan: SimulationPlan(firstSeed: seed, decisions: decisions))
    }
}
