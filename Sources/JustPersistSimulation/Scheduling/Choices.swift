import JustPersist

/// The choices of a run, made by a seed or taken from a list of decisions.
///
/// Without decisions, a thread continues for as long as it can, the thread that has waited longest follows, nothing
/// fails, and no step is taken. A seeded run notes each decision that it makes. So a run with the same list takes the
/// same course, and a run with a shorter list takes a simpler one.
// Sendable because only the thread with the baton uses it.
final class Choices: @unchecked Sendable {
    let seed: UInt64
    /// Whether only the decisions of a list are made.
    let isReplayed: Bool
    /// Whether threads are switched at random, also with a list.
    private let isShuffled: Bool
    private let known: Set<SimulationDecision>
    /// The switches of a list, by the thread that stops.
    private var switches: [String: [Int: String]] = [:]
    private(set) var made: [SimulationDecision] = []
    /// The decisions of a list that had an effect.
    private(set) var used: Set<SimulationDecision> = []
    private var random: SeededNumbers
    /// The average number of points after which a thread is stopped.
    private let period: UInt64
    private var untilSwitch: UInt64 = 0
    /// The average number of engine calls for each one that fails or is slow; `nil` for no faults.
    private let faultPeriod: UInt64?
    let faults: SimulationFaults

    /// - Parameter order: A number that selects a random order of threads in addition to a list of decisions; `nil` for
    ///   the order of the list.
    init(
        seed: UInt64, faults: SimulationFaults, replaying decisions: [SimulationDecision]? = nil,
        inOrder order: UInt64? = nil
    ) {
        self.seed = seed
        self.faults = faults
        isReplayed = decisions != nil
        isShuffled = decisions == nil || order != nil
        known = Set(decisions ?? [])
        random = SeededNumbers(seed: seed ^ 0x5EED ^ (order ?? 0) << 32)
        period = [2, 6, 20, 70, 250][Int(random.next() % 5)]
        faultPeriod = [nil, 60, 20, 6][Int(random.next() % 4)]
        for case .go(let next, let strand, let point) in decisions ?? [] {
            switches[strand, default: [:]][point] = next
        }
        untilSwitch = interval()
    }

    private func interval() -> UInt64 { random.next() % (2 * period) + 1 }

    /// Makes a decision if the list has it or, in a seeded run, if `wants` returns true.
    private func decide(_ decision: SimulationDecision, _ wants: () -> Bool) -> Bool {
        if isReplayed {
            guard known.contains(decision) else { return false }
            use(decision)
            return true
        }
        let isWanted = wants()
        if isWanted { made.append(decision) }
        return isWanted
    }

    /// Notes that a decision has had an effect.
    func use(_ decision: SimulationDecision) {
        if isReplayed { used.insert(decision) }
    }

    /// The candidate to which the list switches at the present point.
    private func known(after me: Strand, _ candidates: [Strand]) -> Strand? {
        guard let name = switches[me.name]?[me.points],
            let next = candidates.first(where: { $0.name == name })
        else { return nil }
        use(.go(to: name, from: me.name, at: me.points))
        return next
    }

    // MARK: Threads

    /// The thread that continues instead of one that could continue itself; `nil` for none.
    func preemption(of me: Strand, runnable: () -> [Strand], sleeping: () -> [Strand]) -> Strand? {
        if !isShuffled {
            guard switches[me.name]?[me.points] != nil else { return nil }
            return known(after: me, runnable() + sleeping())
        }
        untilSwitch -= 1
        if untilSwitch > 0 { return nil }
        untilSwitch = interval()
        var candidates = runnable()
        if candidates.isEmpty || random.next() % 16 == 0 { candidates += sleeping() }
        guard !candidates.isEmpty else { return nil }
        let next = candidates[Int(random.next() % UInt64(candidates.count))]
        made.append(.go(to: next.name, from: me.name, at: me.points))
        return next
    }

    /// The thread that continues after one that cannot continue.
    func successor(of me: Strand, _ ready: [Strand], _ sleeping: [Strand]) -> Strand {
        let usual = ready[0]
        if !isShuffled { return known(after: me, ready + sleeping) ?? usual }
        let candidates = random.next() % 32 == 0 ? ready + sleeping : ready
        if candidates.count == 1 { return usual }
        let next = candidates[Int(random.next() % UInt64(candidates.count))]
        if next !== usual { made.append(.go(to: next.name, from: me.name, at: me.points)) }
        return next
    }

    // MARK: Steps and faults

    /// Whether a step is taken.
    func takesStep(_ name: String, _ number: Int) -> Bool {
        decide(.step(name, number)) { true }
    }

    /// The fault that occurs in a call of an engine; `nil` for none.
    func fault(
        on call: String, _ number: Int, of possible: [SimulationFault]
    ) -> SimulationFault? {
        for fault in possible where faults.contains(fault.kind) {
            let isHit = decide(.fault(fault, on: call, call: number)) {
                guard let faultPeriod else { return false }
                let weight = UInt64(fault.isFrequent ? 1 : possible.count)
                return draw("\(fault) \(call)", number) % (faultPeriod * weight) == 0
            }
            if isHit { return fault }
        }
        return nil
    }

    /// The point at which a process dies; `nil` if it lives.
    func deathPoint(of process: String) -> Int? {
        for case .crash(process: process, at: let point) in known { return point }
        guard !isReplayed, faults.contains(.crashes), draw(process, 0) % 3 == 0 else { return nil }
        let magnitude = draw(process, 1) % 12
        let point = Int(draw(process, 2) % (4 << magnitude)) + 1
        made.append(.crash(process: process, at: point))
        return point
    }

    /// The number of commits that a crash loses, of those that are not durable.
    func lostCommits(on disk: String, of count: Int, _ crash: Int) -> Int {
        Int(draw("lost \(disk)", crash) % UInt64(count + 1))
    }

    // MARK: Numbers

    /// A number that depends only on the seed, a name and a number, and not on earlier draws.
    func draw(_ name: String, _ number: Int) -> UInt64 {
        var numbers = SeededNumbers(seed: seed ^ Self.hash(name) ^ UInt64(number) << 40)
        return numbers.next()
    }

    /// FNV-1a, because Swift's own hashes differ between runs.
    static func hash(_ name: String) -> UInt64 {
        name.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
