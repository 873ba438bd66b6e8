import Foundation
import JustPersist
import Synchronization

/// Runs the threads of one simulation, one at a time, in an order that its ``Choices`` give.
///
/// A thread keeps the baton until it comes to a point at which another one may go on: a lock, a wait, a sleep, a call of an
/// engine. Time passes only at these points, and jumps to the next deadline when all threads wait.
// Sendable because only the thread with the baton uses the state, and hands it over through a lock. `holder` is atomic, for
// threads that are none of the simulation's ask it too.
final class SimulatedScheduler: Scheduler, @unchecked Sendable {
    let choices: Choices
    private(set) var strands: [Strand] = []
    private var current: Strand?
    /// The system's number of the thread that has the baton; 0 if there is none.
    private let holder = Atomic<UInt>(0)
    private var names: [String: Int] = [:]
    private var points = 0
    private var elapsed = Duration.zero
    private let start = ContinuousClock.now
    private var trace: UInt64 = 0xcbf2_9ce4_8422_2325
    private(set) var events: [String] = []
    private let outcome = Locked<Ending?>(nil, isProcessWide: true)
    /// Called when all threads wait for each other; gives whether any can go on now.
    var resolveStandstill: () -> Bool = { false }

    /// More points are taken for a run that does not end.
    private static let mostPoints = 1 << 19

    /// How a run has ended.
    struct Ending: Sendable {
        /// Why it did not come to its end.
        var standstill: String?
        /// A number that two runs have in common if they took the same course.
        let trace: UInt64
        let points: Int
    }

    init(_ choices: Choices) { self.choices = choices }

    // MARK: Life

    /// Runs `body` as the first thread, and waits until all threads have ended.
    func run(_ body: @escaping @Sendable () -> Void) -> Ending {
        let first = add("main", process: nil, body)
        pass(to: first)
        return outcome.wait { $0 }
    }

    private func end(_ standstill: String? = nil) {
        current = nil
        holder.store(0, ordering: .releasing)
        let ending = Ending(standstill: standstill, trace: trace, points: points)
        outcome.change { $0 = ending }
    }

    /// The thread that calls; `nil` if it is none of this simulation's.
    var caller: Strand? {
        holder.load(ordering: .acquiring) == BlockThread.current ? current : nil
    }

    // MARK: Threads

    func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
        start(name, in: caller?.process, body)
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

    /// Gives the baton to a thread.
    private func pass(to next: Strand) {
        current = next
        note(next)
        if next.isStarted {
            holder.store(next.thread, ordering: .releasing)
            next.giveBaton()
        } else {
            next.isStarted = true
            WaitingThreads.runOnSystem { [self] in
                next.thread = BlockThread.current
                holder.store(next.thread, ordering: .releasing)
                Surroundings.simulate(self) { next.run() }
                hasEnded(next)
            }
        }
    }

    private func hasEnded(_ strand: Strand) {
        strands.removeAll { $0 === strand }
        // Its end is a point of its own.
        strand.points += 1
        if let process = strand.process {
            process.strands -= 1
            if process.strands == 0 { process.whenEnded() }
        }
        goOn(after: strand)
    }

    /// Takes threads out that never go on.
    func abandon(where isMeant: (Strand) -> Bool) { strands.removeAll(where: isMeant) }

    // MARK: Points

    /// A point at which another thread may go on.
    func point() {
        guard let me = caller else { return }
        pass(point: me)
        guard
            let next = choices.preemption(
                of: me, runnable: { self.strands.filter { $0 !== me && $0.state == .ready } },
                sleeping: { self.strands.filter { $0 !== me && $0.deadline != nil } })
        else { return }
        event("“\(me.name)” stops, “\(next.name)” goes on")
        wakeEarly(next)
        pass(to: next)
        me.awaitBaton()
    }

    private func pass(point me: Strand) {
        points += 1
        me.points += 1
        elapsed += .microseconds(1)
        if let process = me.process, process.isAlive {
            process.points += 1
            if process.points == process.deathPoint {
                process.die("at its point \(process.points)")
            }
        }
        if points > Self.mostPoints { stop("The simulation does not end.") }
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

    /// Lets a thread that waits go on once it has its turn.
    func wake(_ strand: Strand) {
        strand.state = .ready
        strand.deadline = nil
    }

    /// Passes the baton on from a thread that cannot go on.
    private func goOn(after me: Strand) {
        while true {
            let ready = strands.filter { $0.state == .ready }
            if !ready.isEmpty {
                let sleeping = strands.filter { $0.deadline != nil }
                let next = choices.successor(of: me, ready, sleeping)
                wakeEarly(next)
                return pass(to: next)
            }
            let sleeping = strands.filter { $0.deadline != nil }
            if let next = sleeping.min(by: { ($0.deadline ?? .zero) < ($1.deadline ?? .zero) }) {
                wakeEarly(next)
                return pass(to: next)
            }
            if resolveStandstill() { continue }
            if strands.isEmpty { return end() }
            return end(standstill)
        }
    }

    /// Lets a thread whose deadline has not come sleep no longer: time jumps to it.
    private func wakeEarly(_ strand: Strand) {
        guard let deadline = strand.deadline else { return }
        elapsed = max(elapsed, deadline)
        strand.isLate = true
        wake(strand)
    }

    private var standstill: String {
        let lines = strands.map { "“\($0.name)” waits for \($0.reason)" }
        return "No thread can go on: " + lines.joined(separator: "; ") + "."
    }

    /// Ends the run here: the threads never go on.
    private func stop(_ reason: String) {
        let me = current
        end("\(reason) “\(me?.name ?? "")” has run last.")
        me?.awaitBaton()
    }

    // MARK: Time

    var now: ContinuousClock.Instant { start + elapsed }
    /// Counted from 2001, so that no run depends on when it takes place.
    var date: Date { Date(timeIntervalSinceReferenceDate: elapsed.seconds) }
    var present: Duration { elapsed }

    func sleep(seconds: Double) {
        guard let me = caller else { return }
        _ = block(me, for: "a moment", upTo: elapsed + .seconds(seconds))
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
        guard choices.isReplayed else { return }
        events.append("\(elapsed.seconds) s: \(text())")
    }
}

/// A thread of a simulation.
// Sendable because only the thread with the baton uses it; `hasBaton` has a lock.
final class Strand: @unchecked Sendable {
    enum State {
        case ready, waiting
    }

    let name: String
    let hash: UInt64
    let process: SimulatedProcess?
    private var body: (@Sendable () -> Void)?
    var state = State.ready
    /// The time at which it continues although no thread has woken it.
    var deadline: Duration?
    /// Whether it goes on because of that.
    var isLate = false
    var reason = ""
    var points = 0
    var isStarted = false
    var thread: UInt = 0
    private let baton = NSCondition()
    private var hasBaton = false

    init(_ name: String, _ process: SimulatedProcess?, _ body: @escaping @Sendable () -> Void) {
        self.name = name
        hash = Choices.hash(name)
        self.process = process
        self.body = body
    }

    func run() { body.take()?() }

    func giveBaton() {
        baton.lock()
        hasBaton = true
        baton.unlock()
        baton.signal()
    }

    func awaitBaton() {
        baton.lock()
        while !hasBaton { baton.wait() }
        hasBaton = false
        baton.unlock()
    }
}
