import JustPersist
import JustPersistRecords

/// The committed state of the database at one moment.
///
/// An iterator pins the state, and costs LevelDB more than looking up a key. So it is created only when it is needed:
/// for a scan, or by the next commit, before that changes anything.
// Sendable because one thread reads, and the state that a commit on another thread sets is guarded by the lock of the
// readers' part.
final class Snapshot: KeyValueReader, @unchecked Sendable {
    /// The group of readers to which it belongs; `nil` in a write block, whose thread is the only one that commits.
    private let part: Locked<Readers.Part>?
    /// `nil` once the block has ended.
    private var database: Database?
    /// The iterator that pins the state; see ``part``.
    private var pinned: Iterator?
    /// The iterator that the block uses, once it has needed one.
    private var iterator: Iterator?
    /// The commit to which the state belongs, if that is certain.
    private let commit: UInt64?
    /// The number of times ``iterator`` was moved.
    private var moves = 0

    /// The present state, inside a write block.
    init(of database: Database) {
        self.database = database
        commit = database.settledCommit
        part = nil
    }

    /// The present state, for a reader of a group whose lock the caller holds.
    ///
    /// - Parameter spare: The state before the running commit, which this takes over.
    init(of database: Database, in part: Locked<Readers.Part>, _ spare: inout Readers.Spare?) {
        self.database = database
        self.part = part
        let settled = database.settledCommit
        if settled == nil {
            if let spare = spare.take(), !database.isOvertaken(spare.commit) {
                pinned = spare.iterator
                commit = spare.commit
            } else {
                commit = nil
                database.noteOvertaking()
                // A commit is running, or has failed: it has pinned its readers already.
                pin()
            }
        } else {
            commit = settled
        }
    }

    // A number is never reused: after a failed commit, the database is not read under it.
    var snapshotNumber: UInt64? { commit }

    /// Pins the state before the database changes, under the lock of the readers.
    func pin() {
        if pinned == nil, let database { pinned = Iterator(on: database) }
    }

    /// The state for other blocks that begin before the end of the running commit; `nil` if this one is another state.
    var spare: Readers.Spare? {
        guard let commit, let pinned, let database, database.isCommitting(after: commit),
            !database.isOvertaken(commit),
            // An iterator keeps an error that it has met.
            (try? pinned.checkErrors()) != nil
        else { return nil }
        return Readers.Spare(commit: commit, iterator: pinned)
    }

    /// Releases the database, under the lock of the readers: only then can it be closed.
    func end() {
        iterator = nil
        pinned = nil
        database = nil
    }

    func withValue(
        forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(DataStoreError) -> Void
    ) throws(DataStoreError) -> Bool {
        let database = try openDatabase()
        guard !CommitRing.owns(key) else { return false }
        if let commit, database.settledCommit == commit {
            let newest = try database.value(forKey: key)
            if database.settledCommit == commit {
                guard let newest else { return false }
                try newest.withSpan(body)
                return true
            }
        }
        let iterator = try openIterator()
        var bytes: [UInt8] = []
        moves += 1
        iterator.seek(to: key)
        try iterator.checkErrors()
        guard iterator.isValid else { return false }
        let keyCount = iterator.copyKey(to: &bytes)
        guard !key.isOrdered(before: bytes.span.extracting(..<keyCount)) else { return false }
        let count = iterator.copyValue(to: &bytes)
        try body(bytes.span.extracting(..<count))
        return true
    }

    func scan(
        _ range: KeyRange, reversed: Bool,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        try scan(range, reversed: reversed, readsValues: true, body)
    }

    func scanKeys(
        _ range: KeyRange, reversed: Bool,
        _ body: (_ key: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        try scan(range, reversed: reversed, readsValues: false) {
            (key, _) throws(DataStoreError) in
            try body(key)
        }
    }

    private func scan(
        _ range: KeyRange, reversed: Bool, readsValues: Bool,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        let iterator = try openIterator()

        // `body` receives copies, because it may look up other keys, which moves the iterator.
        var (keyBytes, valueBytes): ([UInt8], [UInt8]) = ([], [])
        moves += 1
        if reversed {
            try seek(iterator, before: range.upper)
        } else {
            iterator.seek(to: range.lower.span)
        }
        while iterator.isValid,
            let keyCount = iterator.copyKey(inside: range, reversed: reversed, to: &keyBytes)
        {
            let key = keyBytes.span.extracting(..<keyCount)
            if !CommitRing.owns(key) {
                let count = readsValues ? iterator.copyValue(to: &valueBytes) : 0
                let movesBefore = moves
                if try body(key, valueBytes.span.extracting(..<count)) == .stop { break }
                if moves != movesBefore {
                    moves += 1
                    iterator.seek(to: key)
                    guard iterator.isValid else { break }
                }
            }
            if reversed { iterator.previous() } else { iterator.next() }
        }
        try iterator.checkErrors()
    }

    private func seek(_ iterator: Iterator, before key: [UInt8]?) throws(DataStoreError) {
        if let key {
            iterator.seek(to: key.span)
            if iterator.isValid { return iterator.previous() }
            // The iterator is after the last key, or was stopped by an error.
            try iterator.checkErrors()
        }
        iterator.seekToLast()
    }

    private func openDatabase() throws(DataStoreError) -> Database {
        guard let database else { throw Self.ended }
        return database
    }

    private static var ended: DataStoreError {
        DataStoreError(
            .blockEnded, in: "read", "A LevelDB reader was used after its block had ended.")
    }

    private func openIterator() throws(DataStoreError) -> Iterator {
        if let iterator { return iterator }
        if let part { part.withLock { _ in pin() } } else { pin() }
        iterator = pinned
        guard let iterator else { throw Self.ended }
        return iterator
    }
}
