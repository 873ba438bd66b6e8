import Foundation
import JustPersist

extension Interleaving {
    /// The time after which a step counts as waiting for another session.
    private static let patience: Duration = .milliseconds(50)
    /// The time in which sessions must end once all their steps are known.
    private static let lastPatience: Duration = .seconds(10)

    /// Runs the script on a store that has no items of the script's type.
    ///
    /// Throws the errors of the store outside of the sessions.
    func run(on store: any DataStore) throws -> InterleavingOutcome {
        let items = try NamedItems(in: store, start)
        var runs: [Session: SessionRun] = [:]
        for session in sessions {
            let run = SessionRun(steps, items)
            runs[session] = run
            run.start()
        }
        for (index, step) in steps.enumerated() {
            runs[step.session]?.post(index, patience: Self.patience)
        }
        let deadline = ContinuousClock.now + Self.lastPatience
        let haveEnded = runs.values.allSatisfy { $0.waitForEnd(until: deadline) }
        let states = runs.mapValues(\.state)
        return InterleavingOutcome(
            script: self,
            results: steps.indices.map { states[steps[$0].session]?.results[$0] ?? .init() },
            sessions: states.mapValues(\.outcome),
            // A session that never ends may block every other block.
            final: haveEnded ? try items.all() : [:])
    }
}

/// A running session: a thread that executes the session's steps inside a block of the store.
private final class SessionRun: Sendable {
    struct State: Sendable {
        /// The steps that the script has reached and the session has not executed.
        var waiting: [Int] = []
        var results: [Int: InterleavingOutcome.StepResult] = [:]
        var outcome = InterleavingOutcome.SessionOutcome()
        /// The number that the session last read for each item.
        var seen: [String: Int] = [:]
    }

    /// The error that a block throws to be rolled back.
    private struct RollBack: Error {}

    private let steps: [Step]
    private let items: NamedItems
    private let current = Locked(State())

    init(_ steps: [Step], _ items: NamedItems) {
        self.steps = steps
        self.items = items
    }

    var state: State { current.withLock { $0 } }

    // MARK: The script's side

    /// Passes the session its next step, and waits for a short time until the step has ended.
    func post(_ index: Int, patience: Duration) {
        current.change { state in
            state.results[index] = .init()
            if state.outcome.hasEnded {
                state.results[index]?.hasEnded = true
                state.results[index]?.error = "not carried out, since the session had ended"
            } else {
                state.waiting.append(index)
            }
        }
        _ = comesTrue(within: patience) { isOver(index) }
        current.withLock { state in
            if state.results[index]?.hasEnded == true { state.results[index]?.isPrompt = true }
        }
    }

    private func isOver(_ index: Int) -> Bool {
        current.withLock { $0.results[index]?.hasEnded == true }
    }

    func waitForEnd(until deadline: ContinuousClock.Instant) -> Bool {
        comesTrue(within: ContinuousClock.now.duration(to: deadline)) { state.outcome.hasEnded }
    }

    // MARK: The session's side

    /// Starts the thread, which waits for the first step.
    func start() {
        let store = items.store
        _ = ThreadHandle { [self] in
            let first = next()
            switch (steps[first].action, store.capabilities.threading) {
            case (.beginReading, _):
                end { try store.performRead { db in try read(db, first) } }
            case (_, .callingThread), (_, .originals):
                end { try store.performWrite { db in try write(db, first) } }
            case (_, .mainThread):
                // Two write calls that wait on the main thread could only run one after the other.
                store.enqueueWrite({ [self] db in try write(db, first) }) { [self] error in
                    end { if let error { throw error } }
                }
            }
        }
    }

    private func read(
        _ db: borrowing DataStoreReader, _ first: Int
    ) throws {
        note(first)
        while true {
            let index = next()
            if try isLast(index) { return }
            note(index, try items.read(steps[index].action, db))
        }
    }

    private func write(
        _ db: borrowing DataStoreWriter, _ first: Int
    ) throws {
        note(first)
        while true {
            let index = next()
            if try isLast(index) { return }
            let action = steps[index].action
            let numbers = try items.read(action, db)
            if numbers == nil { try items.write(action, seen: state.seen, db) }
            note(index, numbers)
        }
    }

    /// The next step, which remains in the list until it has ended.
    private func next() -> Int { current.wait { $0.waiting.first } }

    private func isLast(_ index: Int) throws -> Bool {
        switch steps[index].action {
        case .commit: return true
        case .rollBack: throw RollBack()
        default: return false
        }
    }

    private func note(_ index: Int, _ numbers: [Int]? = nil) {
        current.change { state in
            state.waiting.removeFirst()
            state.results[index]?.numbers = numbers
            state.results[index]?.hasEnded = true
            guard let numbers else { return }
            state.outcome.reads.append(numbers)
            if case .get(let item) = steps[index].action { state.seen[item] = numbers.first }
        }
    }

    /// Runs the block, and records its outcome.
    private func end(_ block: () throws -> Void) {
        var failure: String?
        var isCommitted = false
        do {
            try block()
            isCommitted = true
        } catch is RollBack {
        } catch {
            failure = "\(error)"
        }
        current.change { state in
            state.outcome.isCommitted = isCommitted
            state.outcome.error = failure
            state.outcome.hasEnded = true
            for (place, index) in state.waiting.enumerated() {
                state.results[index]?.hasEnded = true
                if failure != nil {
                    state.results[index]?.error =
                        place == 0 ? failure : "not carried out, since the session had ended"
                }
            }
            state.waiting = []
        }
    }
}
