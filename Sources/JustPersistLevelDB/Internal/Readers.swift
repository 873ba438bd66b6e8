import Foundation
import JustPersist

/// The read blocks of the database, which are kept out while it is reopened.
final class Readers: Sendable {
    /// The blocks of some threads.
    struct Part {
        var isOpen = true
        var inside: [(thread: UInt, snapshot: Snapshot)] = []
        /// The state before the present commit, for blocks that begin meanwhile: most of a commit is waiting for the
        /// disk.
        var spare: Spare?
        /// Whether a block has begun since the last commit.
        var isUsed = false

        func isInside(_ thread: UInt) -> Bool { inside.contains { $0.thread == thread } }
    }

    /// An iterator in the state after a commit.
    struct Spare {
        let commit: UInt64
        let iterator: Iterator
    }

    private let parts = ThreadParts { Part() }
    /// The thread that is reopening the database, or waits to do so.
    private let shutter = Locked<UInt?>(nil)

    /// The time in seconds for which new readers wait for the present ones to end.
    ///
    /// A present reader may be waiting for a new one, or for the thread that reopens the database.
    static let patience = 1.0

    /// Runs `body` with a snapshot of the database, once it may be read; immediately on a thread that is reading
    /// already.
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
            // This happens under the lock, so a commit that begins meanwhile either is seen here or finds the snapshot.
            let snapshot = try part.withLock { state throws(DataStoreError) -> Snapshot? in
                guard state.isOpen || mayPass || state.isInside(thread) else { return nil }
                let snapshot = Snapshot(of: try database(), in: part, &state.spare)
                state.isUsed = true
                state.inside.append((thread, snapshot))
                return snapshot
            }
            if let snapshot { return snapshot }
            // While the main thread waits to reopen it, it runs blocks of others, which must not wait for it.
            mayPass = shutter.wait { $0 == nil ? false : $0 == thread ? true : nil }
        }
    }

    private func leave(_ part: Locked<Part>, _ snapshot: Snapshot) {
        let isAwaited = part.withLock { state in
            state.spare = state.spare ?? snapshot.spare
            // The snapshot ends first, because the database may be closed when no reader is left.
            snapshot.end()
            state.inside.removeAll { $0.snapshot === snapshot }
            return !state.isOpen && state.inside.isEmpty
        }
        if isAwaited { part.signal() }
    }

    /// Pins the state of the snapshots before a commit changes the database.
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

    /// Releases the state kept for the time of a commit, after its end: only then can the database be closed.
    func unpin() { for part in parts.all { part.withLock { $0.spare = nil } } }

    /// Keeps new readers out, waits a moment for the present ones, and runs `body`; returns whether it did.
    ///
    /// It does not run `body` if readers have not ended, or if this thread is one of them.
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
