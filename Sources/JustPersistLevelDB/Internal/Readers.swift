import Foundation
import JustPersist

/// The read blocks of the database, which are kept out while it is opened again.
final class Readers: Sendable {
    /// Some threads' blocks.
    struct Part {
        var isOpen = true
        var inside: [(thread: UInt, snapshot: Snapshot)] = []
        /// The state before the commit that is under way, for blocks that begin meanwhile: most of a commit is to wait for
        /// the disk.
        var spare: Spare?
        /// Whether a block has begun since the last commit.
        var isUsed = false

        func isInside(_ thread: UInt) -> Bool { inside.contains { $0.thread == thread } }
    }

    /// An iterator in the state behind a commit.
    struct Spare {
        let commit: UInt64
        let iterator: Iterator
    }

    private let parts = ThreadParts { Part() }
    /// The thread that opens the database again, or waits to do that.
    private let shutter = Locked<UInt?>(nil)

    /// How long newcomers are held back for the readers inside to end, in seconds.
    ///
    /// A reader inside may be waiting for one that is held back, or for whoever waits to open the database.
    static let patience = 1.0

    /// Runs `body` with a snapshot of the database, once that may be read; at once on a thread that reads already.
    func read(
        _ database: () throws(DataStoreError) -> Database, _ body: (Snapshot) throws -> Void
    ) throws {
        let thread = BlockThread.current
        let part = parts.all[ThreadPart.mine]
        let snapshot = try enter(part, thread, database)
        defer { leave(part, snapshot) }
        try body(snapshot)
    }

    private func enter(
        _ part: Locked<Part>, _ thread: UInt, _ database: () throws(DataStoreError) -> Database
    ) throws(DataStoreError) -> Snapshot {
        var mayPass = false
        while true {
            // Under the lock, so that a commit that begins meanwhile either is seen here or finds the snapshot there.
            let snapshot = try part.withLock { state throws(DataStoreError) -> Snapshot? in
                guard state.isOpen || mayPass || state.isInside(thread) else { return nil }
                let snapshot = Snapshot(of: try database(), in: part, &state.spare)
                state.isUsed = true
                state.inside.append((thread, snapshot))
                return snapshot
            }
            if let snapshot { return snapshot }
            // A main thread that waits to open it runs the blocks of others meanwhile: it must not wait for itself.
            mayPass = shutter.wait { $0 == nil ? false : $0 == thread ? true : nil }
        }
    }

    private func leave(_ part: Locked<Part>, _ snapshot: Snapshot) {
        let isAwaited = part.withLock { state in
            state.spare = state.spare ?? snapshot.spare
            // First, for the database may be closed when nobody is inside.
            snapshot.end()
            state.inside.removeAll { $0.snapshot === snapshot }
            return !state.isOpen && state.inside.isEmpty
        }
        if isAwaited { part.signal() }
    }

    /// Makes sure that the snapshots stay as they are when a commit changes the database.
    func pin(_ database: Database) {
        for part in parts.all {
            part.withLock { state in
                for reader in state.inside { reader.snapshot.pin() }
                if state.isUsed {
                    state.spare = Spare(
                        commit: database.lastCommit, iterator: Iterator(on: database))
                }
                state.isUsed = false
            }
        }
    }

    /// Lets go of what is kept for the time of a commit, behind its end: the database can be closed only then.
    func unpin() { for part in parts.all { part.withLock { $0.spare = nil } } }

    /// Keeps readers out, waits a moment for those inside, and runs `body`; tells whether it did.
    ///
    /// It did not if they have not ended, or if this thread is one of them.
    func whenNobodyIsInside(
        _ body: () throws(DataStoreError) -> Void
    ) throws(DataStoreError) -> Bool {
        let thread = BlockThread.current
        let mine = parts.all[ThreadPart.mine]
        let isMine = shutter.wait { shutter -> Bool? in
            if shutter == thread || mine.withLock({ $0.isInside(thread) }) { return false }
            guard shutter == nil else { return nil }
            shutter = thread
            return true
        }
        guard isMine else { return false }
        for part in parts.all { part.withLock { $0.isOpen = false } }
        defer {
            for part in parts.all { part.withLock { $0.isOpen = true } }
            shutter.change { $0 = nil }
        }
        let deadline = Surroundings.date(inSeconds: Self.patience)
        let isEmpty = parts.all.allSatisfy { part in
            part.wait(upTo: deadline) { $0.inside.isEmpty ? () : nil } != nil
        }
        guard isEmpty else { return false }
        unpin()
        try body()
        return true
    }
}
