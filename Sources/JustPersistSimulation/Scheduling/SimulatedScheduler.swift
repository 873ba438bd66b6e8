import Foundation
import JustPersist
import Synchronization

/// Runs the threads of one simulation, one at a time, in the order that its ``Choices`` determine.
///
/// A thread keeps the baton until it reaches a point at which another one may continue: a lock, a wait, a sleep, a call
/// of an engine. Time passes only at these points, and jumps to the next deadline when all threads wait.
// Sendable because only the thread with the baton uses the state, and hands it over through a lock. `holder` and `isLost` are
// atomic, because threads outside the simulation read and change them.
final class SimulatedScheduler: Scheduler, @unchecked Sendable {
    let choices: Choices
    private(set) var strands: [Strand] = []
    private var current: Strand?
    /// The system's number of the thread that has the baton; 0 before and after the run.
    private let holder = Atomic<UInt>(0)
    private var names: [String: Int] = [:]
    private var points = 0
    /// The number of points so far, for the thread that waits for the end.
    private let progress = Atomic(0)
    private var turns = 0
    /// The number of points at which the current turn began.
    private var turnStart = 0
    private var elapsed = Duration.zero
    private let start = ContinuousClock.now
    private var trace: UInt64 = 0xcbf2_9ce4_8422_2325
    private(set) var events: [String] = []
    private let outcome = Locked<Ending?>(nil, isProcessWide: true)
    /// A use by a thread outside the simulation.
    private let misuse = Locked<SimulationFailure?>(nil, isProcessWide: true)
    /// Whether the run was given up, because a thread reached no point.
    private let isLost = Atomic(false)
    /// The reason for which the run ends early.
    ///
    /// From then on calls of engines fail, and the threads run to their ends.
    private var standstill: SimulationFailure?
    /// The number of points after which the remaining threads are dismissed.
    private var lastPoint = mostPoints
    /// Called when all threads wait for each other; returns whether any can continue now.
    var resolveStandstill: () -> Bool = { false }

    /// A run with more points counts as one that does not end.
    private static let mostPoints = 1 << 19
    /// A longer turn ends if another thread is ready.
    private static let longestTurn = 4096
    /// A number that no thread has, used while a thread is being started.
    private static let starting: UInt = 1

    /// The end of a run.
    struct Ending: Sendable {
        /// The reason for which it did not end; `nil` if it did.
        var failure: SimulationFailure?
        /// A number that is equal for runs with the same course.
        let trace: UInt64
    }

    init(_ choices: Choices) { self.choices = choices }

    // MARK: Life

    /// Runs `body` as the first thread, and waits until all threads have ended.
    func run(_ body: @escaping @Sendable () -> Void) -> Ending {
        pass(to: add("main", process: nil, body))
        let patience = SimulatedRun.patience
        var reached = -1
        while true {
            let limit = Date(timeIntervalSinceNow: patience.seconds)
            if var ending = outcome.wait(upTo: limit, until: { $0 }) {
                ending.failure = misuse.withLock { $0 } ?? ending.failure
                return ending
            }
            let now = progress.load(ordering: .acquiring)
            if now == reached { break }
            reached = now
        }
        isLost.store(true, ordering: .releasing)
        let failure = SimulationFailure(
            """
            “\(strands.first { $0.thread == holder.load(ordering: .acquiring) }?.name ?? "")” has come to no point of the \
            simulation for \(patience): it waits for a lock, a thread or a task that the simulation does not know, or works \
            without a call of a store.
            """, .outside)
        return Ending(failure: misuse.withLock { $0 } ?? failure, trace: trace)
    }

    private func end() {
        current = nil
        holder.store(0, ordering: .releasing)
        let ending = Ending(failure: standstill, trace: trace)
        outcome.change { $0 = ending }
    }

    /// Whether the run ends early.
    var isStopped: Bool { standstill != nil }

    /// Ends the run early.
    private func stop(_ reason: String, _ kind: SimulationFailure.Standstill) {
        let threads = strands.map { strand in
            let isWaiting = strand.state == .waiting
            return "“\(strand.name)” \(isWaiting ? "waits for \(strand.reason)" : "can go on")"
        }
        standstill = SimulationFailure(
            "\(reason): \(threads.joined(separator: "; ")).", kind)
        lastPoint = points + Self.longestTurn
    }

    /// The calling thread; `nil` if it does not belong to this simulation.
    var caller: Strand? {
        holder.load(ordering: .acquiring) == BlockThread.current ? current : nil
    }

    /// Whether the caller is a thread outside the simulation, while that runs; this fails the run.
    func isMisused(for purpose: @autoclosure () -> String) -> Bool {
        if caller != nil || holder.load(ordering: .acquiring) == 0 { return false }
        let failure = SimulationFailure(
            """
            A task or a thread outside of the simulation has used it, \(purpose()). Use threads that `start(_:_:)` begins, \
            and not the `async` calls of a store.
            """, .outside)
        misuse.withLock { $0 = $0 ?? failure }
        return true
    }

    /// Ends the run because the calling thread uses a store of another simulation, where its waits may never end.
    func stopAtUseOfAnother() {
        if caller == nil || isStopped { return }
        stop("“\(current?.name ?? "")” uses a store that was made in another simulation", .outside)
    }

    // MARK: Threads

    func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
        guard let caller else {
            _ = isMisused(for: "to start “\(name)”")
            return
        }
        start(name, in: caller.process, body)
    }

    func start(
        _ name: String, in process: SimulatedProcess?, _ body: @escaping @Sendable () -> Void
    ) {
        _ = add(name, process: process, body)
    }

    private func add(
        _ name: String, process: SimulatedProcess?, _ body: @escaping @Sendable () -> Void
    ) -> Strand {
        let number = (names[name] ?? 0) + 1
        names[name] = number
        let strand = Strand(number == 1 ? name : "\(name) \(number)", process, body)
        process?.strands += 1
        strands.append(strand)
        return strand
    }

    /// Passes the baton to a thread.
    private func pass(to next: Strand) {
        current = next
        turns += 1
        next.turn = turns
        turnStart = points
        note(next)
        if next.isStarted {
            holder.store(next.thread, ordering: .releasing)
            return next.giveBaton()
        }
        next.isStarted = true
        holder.store(Self.starting, ordering: .releasing)
        StrandThreads.run("seed \(choices.seed), \(next.name)") { [self] in
            next.thread = BlockThread.current
            holder.store(next.thread, ordering: .releasing)
            Surroundings.simulate(self) { next.run() }
            hasEnded(next)
        }
    }

    private func hasEnded(_ strand: Strand) {
        strands.removeAll { $0 === strand }
        // The end of a thread is also a point.
        strand.points += 1
        if let process = strand.process {
            process.strands -= 1
            if process.strands == 0 { process.whenEnded() }
        }
        goOn(after: strand)
    }

    /// Removes threads that never continue.
    func dismiss(where isMeant: (Strand) -> Bool) {
        let dismissed = strands.filter(isMeant)
        strands.removeAll(where: isMeant)
        for strand in dismissed { strand.dismiss() }
    }

    // MARK: Points

    /// A point at which another thread may continue.
    func point() {
        guard let me = caller else { return }
        pass(point: me)
        if isStopped { return }
        func runnable() -> [Strand] { strands.filter { $0 !== me && isReady($0) } }
        var next = choices.preemption(
            of: me, runnable: runnable, sleeping: { self.strands.filter { self.isAsleep($0) } })
        // A thread that waits in a loop would otherwise keep the others from ending its wait.
        if next == nil, points - turnStart > Self.longestTurn {
            next = runnable().min { $0.turn < $1.turn }
        }
        guard let next else { return }
        event("“\(me.name)” stops, “\(next.name)” goes on")
        wakeEarly(next)
        pass(to: next)
        me.awaitBaton()
    }

    private func isReady(_ strand: Strand) -> Bool {
        strand.state == .ready || strand.deadline.map { $0 <= elapsed } ?? false
    }

    private func isAsleep(_ strand: Strand) -> Bool {
        strand.deadline.map { $0 > elapsed } ?? false
    }

    private func pass(point me: Strand) {
        if isLost.load(ordering: .acquiring) { Thread.exit() }
        points += 1
        progress.store(points, ordering: .releasing)
        if points > lastPoint {
            if isStopped { dismissAll() }
            stop("The simulation does not end. “\(me.name)” has run last", .endless)
        }
        if isStopped { return }
        me.points += 1
        elapsed += .microseconds(1)
        guard let process = me.process, process.isAlive else { return }
        process.points += 1
        if process.points == process.deathPoint {
            choices.use(.crash(process: process.name, at: process.points))
            process.die("at its point \(process.points)")
        }
    }

    /// Ends a run whose threads do not end.
    private func dismissAll() {
        let me = current
        dismiss { $0 !== me }
        strands = []
        end()
        Thread.exit()
    }

    /// Lets the calling thread wait until it is woken, or until a deadline; returns whether it was woken.
    func block(_ me: Strand, for reason: @autoclosure () -> String, upTo deadline: Duration?)
        -> Bool
    {
        pass(point: me)
        me.state = .waiting
        me.deadline = deadline
        me.reason = reason()
        me.isLate = false
        goOn(after: me)
        me.awaitBaton()
        return !me.isLate
    }

    /// Lets a waiting thread continue when its turn comes.
    func wake(_ strand: Strand) {
        strand.state = .ready
        strand.deadline = nil
    }

    /// Passes the baton on from a thread that cannot continue.
    private func goOn(after me: Strand) {
        while !strands.isEmpty {
            // The threads are sorted by their last turns.
            let waiting = strands.sorted { $0.turn < $1.turn }
            let ready = waiting.filter { isReady($0) }
            let sleeping = strands.filter { isAsleep($0) }
            let next: Strand
            if isStopped {
                next = waiting[0]
                next.deadline = next.state == .waiting ? elapsed : nil
            } else if !ready.isEmpty {
                next = choices.successor(of: me, ready, sleeping)
            } else if let first = sleeping.min(by: { $0.deadline ?? .zero < $1.deadline ?? .zero })
            {
                next = first
            } else {
                if !resolveStandstill() { stop("No thread can go on", .deadlock) }
                continue
            }
            wakeEarly(next)
            return pass(to: next)
        }
        end()
    }

    /// Wakes a thread before its deadline: time jumps to the deadline.
    private func wakeEarly(_ strand: Strand) {
        guard let deadline = strand.deadline else { return }
        elapsed = max(elapsed, deadline)
        strand.isLate = true
        wake(strand)
    }

    // MARK: Time

    var now: ContinuousClock.Instant { start + elapsed }
    /// Time is counted from 2001, so that no run depends on the real time.
    var date: Date { Date(timeIntervalSinceReferenceDate: elapsed.seconds) }

    func sleep(seconds: Double) { sleep(for: .seconds(seconds), "a moment") }

    func sleep(for duration: Duration, _ reason: String) {
        guard let me = caller else { return }
        _ = block(me, for: reason, upTo: elapsed + duration)
    }

    func makeLock(over condition: NSCondition) -> any SimulatedLock {
        StrandLock(self, condition)
    }

    // MARK: What has happened

    private func note(_ strand: Strand) {
        for number in [strand.hash, UInt64(strand.points), UInt64(points)] {
            trace = (trace ^ number) &* 0x100_0000_01b3
        }
    }

    func event(_ text: @autoclosure () -> String) {
        guard choices.isReplayed, !isStopped else { return }
        events.append("\(elapsed.seconds) s: \(text())")
    }
}
