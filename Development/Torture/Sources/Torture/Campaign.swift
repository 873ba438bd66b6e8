/// One way of hurting a store, with many points at which to do it.
///
/// A point is a text that says all: with the engine and the seed it repeats the trial.
protocol Campaign: Sendable {
    /// What `--only` calls it.
    var name: String { get }
    /// The engines it has something to say of; a campaign that concerns no engine names the first alone.
    var engines: [Engine] { get }
    /// Why it cannot run here; `nil` if it can.
    var obstacle: String? { get }
    /// How many trials a long run asks for, counted as ``Outcome/count`` counts.
    func goal(_ engine: Engine) -> Int
    /// Its share of the time of a run that is limited by time.
    var weight: Double { get }
    /// How many trials may run side by side.
    var width: Int { get }

    /// The points of one seed.
    func points(_ subject: Subject) throws -> [String]
    /// Hurts a store at a point, and judges what is left.
    func run(_ point: String, _ subject: Subject, in directory: Directory) throws -> Outcome
}

extension Campaign {
    var engines: [Engine] { Engine.allCases }
    var obstacle: String? { nil }
    var weight: Double { 1 }
    var width: Int { 2 }
}

/// What a trial is about.
struct Subject: Hashable, Sendable {
    let engine: Engine
    let seed: UInt64
}

/// What a trial found.
struct Outcome: Sendable {
    /// For how many trials it counts.
    var count = 1
    /// What happened, and how often.
    var tallies: [String: Int] = [:]
    /// What broke a promise.
    var failure: String?

    static func failed(_ reason: String) -> Outcome { Outcome(failure: reason) }
    static func seen(_ tallies: String...) -> Outcome {
        Outcome(tallies: Dictionary(tallies.map { ($0, 1) }, uniquingKeysWith: +))
    }
    /// The point was not reached, so nothing was tried.
    static let missed = Outcome(count: 0, tallies: ["not reached": 1])
}
