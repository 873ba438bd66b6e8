import JustPersist
import JustPersistRecords

/// The committed state of the database at one moment.
///
/// An iterator pins it, which costs LevelDB more than to look a key up. So it is made when it is needed: for a scan, or by
/// the next commit, before that changes anything.
// Sendable because one thread reads, and what a commit on another sets is set and read under the lock of the readers' part.
final class Snapshot: KeyValueReader, @unchecked Sendable {
    /// The readers of which it is one; `nil` in a write block, whose thread is the only one that commits.
    private let part: Locked<Readers.Part>?
    /// `nil` once the block has ended.
    private var database: Database?
    /// What pins the state; see ``part``.
    private var pinned: Iterator?
    /// The same, once the block has needed it.
    private var iterator: Iterator?
    /// The commit the state belongs to, if that is certain.
    private let commit: UInt64?
    /// How often ``iterator`` was moved.
    private var moves = 0

    /// The state now, inside a write block.
    init(of database: Database) {
        self.database = database
        commit = database.settledCommit
        part = nil
    }

    /// The state now, as one of some readers, whose lock the caller holds.
    ///
    /// - Parameter spare: The state before the commit that is under way, which is taken over.
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
                // A commit is under way, or has failed: it has pinned its readers already.
                pin()
            }
        } else {
            commit = settled
        }
    }

    // A number is never given again: after a failed commit, the database is not read by it.
    var snapshotNumber: UInt64? { commit }

    /// Makes sure that the state stays as it is when the database changes, under the lock of the readers.
    func pin() {
        if pinned == nil, let database { pinned = Iterator(on: database) }
    }

    /// What others can use who want the state before the commit that is under way; `nil` if that is not this state.
    var spare: Readers.Spare? {
        guard let commit, let pinned, let database, database.isCommitting(after: commit),
            !database.isOvertaken(commit),
            // An iterator keeps the error that it has met.
            (try? pinned.checkErrors()) != nil
        else { return nil }
        return Readers.Spare(commit: commit, iterator: pinned)
    }

    /// Lets go of the database, under the lock of the readers: it can be closed only then.
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

        // `body` gets copies: it may look other keys up, and that moves the iterator.
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
            // Behind the last key, or stopped by an error.
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
