/// A choice of a run that differs from the default.
///
/// The message of a failing seed lists the decisions that the failure needs, as the arguments of a test. You need not
/// write them.
public enum SimulationDecision: Hashable, Sendable, CustomStringConvertible {
    /// A step of ``Simulation/steps(_:upTo:_:)`` is taken.
    case step(String, Int)
    /// At the point of the thread `from` with this number, the thread `to` continues.
    case go(to: String, from: String, at: Int)
    /// A fault occurs in a kind of call of a disk.
    ///
    /// The number counts the calls by processes.
    case fault(SimulationFault, on: String, call: Int)
    /// A process dies at its point with this number.
    case crash(process: String, at: Int)

    /// The decision as source code.
    public var description: String {
        switch self {
        case .step(let name, let number): ".step(\(name.debugDescription), \(number))"
        case .go(let next, let strand, let point):
            ".go(to: \(next.debugDescription), from: \(strand.debugDescription), at: \(point))"
        case .fault(let fault, let disk, let call):
            ".fault(.\(fault), on: \(disk.debugDescription), call: \(call))"
        case .crash(let process, let point):
            ".crash(process: \(process.debugDescription), at: \(point))"
        }
    }
}

/// A fault that can occur in a call of a simulated engine.
public enum SimulationFault: String, Hashable, Sendable, CaseIterable {
    /// The process dies before a commit is durable.
    case deathBeforeCommit
    /// The process dies after a commit is durable, and before the call returns.
    case deathAfterCommit
    /// A commit is refused with `.storageFailure`.
    case refusedCommit
    /// A commit is refused with `.storageFull`, as are the following ones, for a while.
    case fullDisk
    /// A read fails with `.storageFailure`.
    case refusedRead
    /// A call takes up to some seconds.
    case delay

    var kind: SimulationFaults {
        switch self {
        case .deathBeforeCommit, .deathAfterCommit: .crashes
        case .refusedCommit, .refusedRead: .refusals
        case .fullDisk: .fullDisks
        case .delay: .delays
        }
    }

    var isFrequent: Bool { self == .deathBeforeCommit || self == .delay }
}

/// The kinds of faults that a simulation may choose from.
public struct SimulationFaults: OptionSet, Hashable, Sendable {
    /// The kinds as bits.
    public let rawValue: Int

    /// Kinds from their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// A process dies at any moment, and loses the commits that are not durable.
    public static let crashes = SimulationFaults(rawValue: 1)
    /// Commits and reads fail.
    public static let refusals = SimulationFaults(rawValue: 2)
    /// No commit succeeds for a while.
    public static let fullDisks = SimulationFaults(rawValue: 4)
    /// Calls take seconds of the simulation's time.
    public static let delays = SimulationFaults(rawValue: 8)
    /// Every kind.
    public static let all: SimulationFaults = [.crashes, .refusals, .fullDisks, .delays]
}

/// Random numbers that depend on their seed alone (SplitMix64).
public struct SeededNumbers: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// The next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A number below `bound`.
    public mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }
}
