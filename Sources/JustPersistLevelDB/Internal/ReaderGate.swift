import Foundation
import JustPersist

/// Lets readers of the database in, and keeps them out while it is opened again.
final class ReaderGate: Sendable {
    private let readers = Visitors()
    /// Whether somebody opens the database again, or waits to do that.
    private let isShut = Locked(false)

    /// How long newcomers are held back for the readers inside to end, in seconds.
    ///
    /// A reader inside may be waiting for one that is held back, or for whoever waits to open the database.
    static let patience = 1.0

    /// A gate that is open.
    init() { readers.admit() }

    /// Runs `body` as a reader, once the gate is open; at once on a thread that is inside already.
    func withReader(_ body: () throws -> Void) rethrows {
        let thread = BlockThread.current
        while !readers.enter(thread) { isShut.wait { $0 ? nil : () } }
        defer { readers.leave(thread) }
        try body()
    }

    /// Shuts the gate, waits a moment for the readers inside, and runs `body`; tells whether it did.
    ///
    /// It did not if they have not ended, or if this thread is one of them.
    func whenNobodyIsInside(
        _ body: () throws(DataStoreError) -> Void
    ) throws(DataStoreError) -> Bool {
        let thread = BlockThread.current
        let isMine = isShut.wait { isShut -> Bool? in
            if readers.isInside(thread) { return false }
            guard !isShut else { return nil }
            isShut = true
            return true
        }
        guard isMine else { return false }
        readers.refuse()
        defer {
            readers.admit()
            isShut.change { $0 = false }
        }
        guard readers.waitUntilAllHaveLeft(upTo: Date(timeIntervalSinceNow: Self.patience))
        else { return false }
        try body()
        return true
    }
}
