import Foundation
import JustPersist

/// Counts the readers of the database, and keeps them out while it is opened again.
final class ReaderGate: Sendable {
    private struct State {
        /// The read blocks that run, by thread.
        var inside: [ObjectIdentifier: Int] = [:]
        /// Whether somebody opens the database again, or waits to do that.
        var isShut = false
    }

    /// How long newcomers are held back for the readers inside to end, in seconds.
    ///
    /// A reader inside may be waiting for one that is held back, or for whoever waits to open the database.
    static let patience = 1.0

    private let state = Locked(State())

    // By its `Thread` object, which lives as long as the thread does.
    private static var currentThread: ObjectIdentifier { ObjectIdentifier(Thread.current) }

    /// Runs `body` as a reader, once the gate is open; at once on a thread that is inside already.
    func withReader(_ body: () throws -> Void) rethrows {
        let thread = Self.currentThread
        state.wait { state -> Void? in
            guard !state.isShut || state.inside[thread] != nil else { return nil }
            state.inside[thread, default: 0] += 1
            return ()
        }
        defer {
            state.change { state in
                let left = (state.inside[thread] ?? 1) - 1
                state.inside[thread] = left == 0 ? nil : left
            }
        }
        try body()
    }

    /// Shuts the gate, waits a moment for the readers inside, and runs `body`; tells whether it did.
    ///
    /// It did not if they have not ended, or if this thread is one of them.
    func whenNobodyIsInside(
        _ body: () throws(DataStoreError) -> Void
    ) throws(DataStoreError) -> Bool {
        let thread = Self.currentThread
        let isMine = state.wait { state -> Bool? in
            if state.inside[thread] != nil { return false }
            guard !state.isShut else { return nil }
            state.isShut = true
            return true
        }
        guard isMine else { return false }
        defer { state.change { $0.isShut = false } }
        let deadline = Date(timeIntervalSinceNow: Self.patience)
        let isEmpty: Void? = state.wait(upTo: deadline) { $0.inside.isEmpty ? () : nil }
        guard isEmpty != nil else { return false }
        try body()
        return true
    }
}
