import Foundation
import JustPersist

/// Compares and copies, in the background, the types of a mirror that may differ.
final class MigrationWorker: Sendable {
    private let mirror: StoreMirror
    private let note: @Sendable (MigrationProgress?) -> Void
    private let state = Locked(State())

    private struct State {
        var isStopped = false
        /// Whether there is something to do now.
        var isAwake = false
        var hasEnded = false
        /// Held until the work has ended, if it ends without being waited for.
        var lock: MigrationLock?
    }

    /// The interval in seconds at which it looks for work.
    private static let interval = 0.5
    /// The interval at which it reads everything again to see whether the replica can hold it.
    private static let checkInterval = Duration.seconds(30)

    /// A worker that does not run yet.
    ///
    /// - Parameter note: Called on the worker's thread with the progress, and with `nil` each time the work is done.
    init(_ mirror: StoreMirror, _ note: @escaping @Sendable (MigrationProgress?) -> Void) {
        self.mirror = mirror
        self.note = note
    }

    /// Begins to work, on a thread of its own.
    func start() { WaitingThreads.run { self.mirror.working { self.work() } } }

    /// Makes it look for work immediately.
    func wake() { state.change { $0.isAwake = true } }

    /// Makes the work end soon.
    ///
    /// - Parameter lock: A lock that is held until then.
    func cancel(keeping lock: MigrationLock? = nil) {
        state.change { state in
            state.isStopped = true
            if !state.hasEnded { state.lock = lock }
        }
    }

    /// Ends the work, and waits until it has ended.
    func stop() {
        cancel()
        state.wait { $0.hasEnded ? () : nil }
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    private func work() {
        var nextCheck: ContinuousClock.Instant? = Surroundings.now
        while !isStopped {
            do {
                if let time = nextCheck, time <= Surroundings.now {
                    nextCheck = Surroundings.now + Self.checkInterval
                    try checkThatReplicaHoldsAll()
                    nextCheck = nil
                }
                if nextCheck == nil { try reconcile() }
                // Including changes that could not be copied when they were written.
                try mirror.catchUp()
                if nextCheck == nil { mirror.setObstacle(nil) }
            } catch is CancellationError {
                break
            } catch {
                mirror.setObstacle(.migrationFailed(error))
            }
            note(nil)
            let deadline = Surroundings.date(inSeconds: Self.interval)
            _ = state.wait(upTo: deadline) { $0.isStopped || $0.isAwake ? () : nil }
            state.withLock { $0.isAwake = false }
        }
        state.change { state in
            state.hasEnded = true
            state.lock = nil
        }
    }

    /// Throws an error that lists the values that the replica cannot hold, before anything is copied.
    private func checkThatReplicaHoldsAll() throws {
        if try mirror.unknownTypes().isEmpty { return }
        let migration = Migration(from: mirror.primary, to: mirror.replica)
        try migration.checkCopying()
        var progress = MigrationProgress(totalItems: 0)
        try mirror.primary.performRead { db in
            try MigrationCheck.run(migration, db, try db.schemas(), &progress) { progress in
                if isStopped { throw CancellationError() }
                note(progress)
            }
        }
    }

    private func reconcile() throws {
        let types = try mirror.unknownTypes().sorted()
        if types.isEmpty { return }
        var progress = MigrationProgress(totalItems: 0)
        try mirror.primary.performRead { db in
            for type in types {
                progress.totalItems += try db.count(DataStoreRequest(itemTypeKey: type))
            }
        }
        note(progress)
        try mirror.reconcile(types) { pass, type, items in
            if isStopped { throw CancellationError() }
            progress.advance(pass == 1 ? .copying : .verifying, type, items: items)
            note(progress)
        }
    }
}
