import GRDB
public import JustPersist

extension SQLiteDataStore {
    /// Has SQLite check its file, and decodes every row of one snapshot.
    ///
    /// A damaged row is one problem in the report, and the check goes on behind it.
    public func verify() throws -> VerificationReport {
        var report = VerificationReport()
        try withReadBlock { try $0.verify(into: &report) }
        return report
    }
}

extension ReadBlock {
    fileprivate func verify(into report: inout VerificationReport) throws(DataStoreError) {
        try storage("verify") { database in
            for text in try String.fetchAll(database, sql: "PRAGMA integrity_check")
            where text != "ok" {
                let failure = DatabaseError(resultCode: .SQLITE_CORRUPT, message: text)
                report.problems.append(DataStoreError(sqlite: failure, in: "verify"))
            }
            for stored in catalog.values {
                let type = try blockType(ItemType(dynamic: stored.key))
                var count = 0
                let rows = try Row.fetchCursor(
                    database, sql: "SELECT id, attributes FROM item WHERE type = ?",
                    arguments: [stored.number])
                while let row = try rows.next() {
                    do throws(DataStoreError) {
                        _ = try ItemRow(row, type, self)
                        count += 1
                    } catch {
                        report.problems.append(error)
                    }
                }
                report.itemCounts[stored.key] = count
            }
        }
    }
}
