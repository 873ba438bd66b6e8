import Foundation
import JustPersist

/// Compares and copies in the background whatever of a mirror is not known to be the same.
final class MigrationWorker: Sendable {
    private let mirror: StoreMirror
    private let note: @Sendable (MigrationProgress?) -> Void
    private let state = Locked(State())

    private struct State {
        var isStopped = false
        var hasEnded = false
    }

    /// How long it rests when there is nothing to do, or the replica has failed.
    private static let rest = 1.0

    /// A worker that does not run yet.
    ///
    /// - Parameter note: Called on the worker's thread with what it is comparing, and now and then with `nil`.
    init(_ mirror: StoreMirror, _ note: @escaping @Sendable (MigrationProgress?) -> Void) {
        self.mirror = mirror
        self.note = note
    }

    /// Begins to work, on a thread of its own.
    func start() { WaitingThreads.run { self.work() } }

    /// Has the work end soon.
    func cancel() { state.change { $0.isStopped = true } }

    /// Ends the work, and returns when it has ended.
    func stop() {
        cancel()
        state.wait { $0.hasEnded ? () : nil }
    }

    private func work() {
        var isChecked = false
        var obstacle: (any Error)?
        while !state.withLock({ $0.isStopped }) {
            do {
                if !isChecked {
                    isChecked = true
                    do { try checkThatReplicaHoldsAll() } catch { obstacle = error }
                }
                // To look again would read everything again.
                if let obstacle { throw obstacle }
                try reconcile()
                // Also what could not be copied when it was written.
                try mirror.catchUp()
            } catch is CancellationError {
                break
            } catch {
                mirror.note(error)
            }
            note(nil)
            let deadline = Date(timeIntervalSinceNow: Self.rest)
            _ = state.wait(upTo: deadline) { $0.isStopped ? () : nil }
        }
        state.change { $0.hasEnded = true }
    }

    /// Throws an error that lists what the replica cannot hold, before anything is copied.
    private func checkThatReplicaHoldsAll() throws {
        if try mirror.unknownTypes().isEmpty { return }
        let migration = Migration(from: mirror.primary, to: mirror.replica)
        var progress = MigrationProgress(totalItems: 0)
        try mirror.primary.performRead { db in
            try MigrationCheck.run(migration, db, try db.schemas(), &progress) { _ in }
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
        try mirror.reconcile(types) { pass, type, items in
            if state.withLock({ $0.isStopped }) { throw CancellationError() }
            progress.advance(pass == 1 ? .copying : .verifying, type, items: items)
            note(progress)
        }
    }
}
