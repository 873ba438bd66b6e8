import JustPersist
import JustPersistRecords

/// The committed state of the database at one moment.
final class Snapshot: KeyValueReader {
    /// `nil` once the block has ended.
    private var database: Database?
    // Pins the state. A write block makes it when first needed: nobody commits meanwhile.
    private var iterator: Iterator?
    /// The commit the state belongs to, if that is certain.
    private let commit: UInt64?
    /// How often ``iterator`` was moved.
    private var moves = 0

    /// The state now: pinned at once, or, inside a write block, when it is first needed.
    init(of database: Database, isPinned: Bool) {
        self.database = database
        let commit = database.settledCommit
        iterator = isPinned ? Iterator(on: database) : nil
        self.commit = commit == database.settledCommit ? commit : nil
    }

    /// Lets go of the database: it can be closed only then.
    func end() {
        iterator = nil
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
        var found: [UInt8] = []
        moves += 1
        iterator.seek(to: key)
        try iterator.checkErrors()
        guard iterator.isValid else { return false }
        iterator.copyKey(to: &found)
        guard !key.isOrdered(before: found.span) else { return false }
        var value: [UInt8] = []
        iterator.copyValue(to: &value)
        try body(value.span)
        return true
    }

    func scan(
        _ range: KeyRange, reversed: Bool,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        let iterator = try openIterator()

        // `body` gets copies: it may look other keys up, and that moves the iterator.
        var key: [UInt8] = []
        var value: [UInt8] = []
        moves += 1
        if reversed {
            try seek(iterator, before: range.upper)
        } else {
            iterator.seek(to: range.lower.span)
        }
        while iterator.isValid {
            iterator.copyKey(to: &key)
            let isInside =
                reversed
                ? !key.span.isOrdered(before: range.lower.span)
                : range.upper.map { key.span.isOrdered(before: $0.span) } ?? true
            guard isInside else { break }
            if !CommitRing.owns(key.span) {
                iterator.copyValue(to: &value)
                let movesBefore = moves
                if try body(key.span, value.span) == .stop { break }
                if moves != movesBefore {
                    moves += 1
                    iterator.seek(to: key.span)
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
        guard let database else {
            throw DataStoreError(
                .blockEnded, in: "read", "A LevelDB reader was used after its block had ended.")
        }
        return database
    }

    private func openIterator() throws(DataStoreError) -> Iterator {
        if let iterator { return iterator }
        let made = Iterator(on: try openDatabase())
        iterator = made
        return made
    }
}
