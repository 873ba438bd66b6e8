import JustPersist
import JustPersistRecords

/// A commit that LevelDB reported as failed, which may be in the log nevertheless.
struct FailedCommit: Sendable {
    private let entry: CommitRing.Entry
    /// The last commit before it that the ring has; `nil` if there is none.
    private let predecessor: CommitRing.Entry?
    /// The changes of the commit; or the changes that revert it, once they are known.
    private var changes: OrderedKeyMap<[UInt8]?>

    /// The commit that `database` has just rejected.
    init(of changes: OrderedKeyMap<[UInt8]?>, in database: Database) {
        entry = CommitRing.Entry(number: database.lastCommit + 1, author: database.author)
        predecessor = database.notedCommit
        self.changes = changes
    }

    /// This commit with the old values of its keys, read from the database that rejected it.
    func withOldValues(of database: Database) throws(DataStoreError) -> FailedCommit {
        var old = OrderedKeyMap<[UInt8]?>()
        try changes.scan(.all) { (key, _) throws(DataStoreError) in
            var value: [UInt8]?
            if let found = try database.value(forKey: key) {
                try found.withSpan { value = [UInt8](copying: $0) }
            }
            old.setValue(value, forKey: key)
            return .next
        }
        var copy = self
        copy.changes = old
        return copy
    }

    /// Whether the reopened database ends with this commit or the one before it.
    ///
    /// Another process may have had it open meanwhile.
    func isLatest(in database: Database) -> Bool {
        database.inherited == entry || database.inherited == predecessor
    }

    /// Reverts the commit if the reopened database has it.
    ///
    /// - Throws: `.corrupted` if the commit before it is missing.
    func revert(in database: Database) throws(DataStoreError) {
        let before = predecessor?.number ?? 0
        guard database.lastCommit >= before else {
            throw DataStoreError(
                .corrupted, in: "open",
                "The LevelDB store at “\(database.path)” has lost commits that had succeeded, from "
                    + "\(database.lastCommit + 1) to \(before); \(DataStoreError.rescue)")
        }
        // Another process may have had the database open meanwhile, and have made commits on top of this one.
        guard database.inherited == entry else { return }
        // No block is running.
        try database.commit(try WriteBatch(of: changes))
    }
}
