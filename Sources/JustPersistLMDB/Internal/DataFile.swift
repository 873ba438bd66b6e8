import Foundation
import JustPersist
import JustPersistRecords

/// The file of an LMDB store, with checks of the parts that LMDB itself trusts.
struct DataFile {
    static let name = "data.mdb"
    static let lockName = "lock.mdb"
    static let names = [name, lockName]

    let directory: StoreDirectory
    var url: URL { directory.url.appending(path: Self.name) }

    /// Refuses files of another kind, and files without their first pages, before LMDB opens them.
    func checkStart() throws(DataStoreError) {
        try directory.checkFiles(Self.names)
        guard !directory.holdsStore else {
            _ = try metaPages()
            return
        }
        // This file is created last, and deleted first.
        let lock = directory.url.appending(path: Self.lockName)
        if try FileAttributes(ofItemAt: lock) != nil, try FileAttributes(ofItemAt: url) == nil {
            throw DataStoreError(
                .corrupted, in: "open",
                "“\(url.path)” is missing beside the store's lock file. Restore it from a copy, or "
                    + "destroy the store to begin anew.")
        }
    }

    /// Refuses a file that lacks pages of a snapshot.
    ///
    /// The snapshot is open meanwhile, so no process changes its pages.
    func checkLength(for snapshot: borrowing TransactionHandle) throws(DataStoreError) {
        guard let meta = try metaPage(ofSnapshot: snapshot.number) else {
            // Other processes have committed twice since, and extended the file as they did.
            return
        }
        let isComplete = try reading { file in try PageWalk.isComplete(meta, in: file) }
        guard isComplete else { throw damaged }
    }

    /// The damage in the pages of a snapshot; `nil` if other processes have committed twice since.
    ///
    /// The snapshot is open meanwhile.
    ///
    /// - Parameter goesOn: Called with the number of bytes read; once it returns false, the result is meaningless.
    func damages(
        inSnapshot number: UInt64, _ goesOn: (_ bytes: Int) -> Bool
    ) throws(DataStoreError) -> [DataStoreError]? {
        guard let meta = try metaPage(ofSnapshot: number) else { return nil }
        let damage = try reading { file -> PageWalk.Damage? in
            do {
                try PageWalk.check(meta, in: file, goesOn)
                return nil
            } catch let damage as PageWalk.Damage {
                return damage
            }
        }
        guard let damage else { return [] }
        return [
            DataStoreError(
                .corrupted, in: "verify",
                "“\(url.path)” is damaged: \(damage.text). Items may be missing, doubled or not found. "
                    + "To have all, \(DataStoreError.rescue)")
        ]
    }

    /// The page with the first key of a snapshot, 0 if it is empty; `nil` if other processes have committed twice
    /// since.
    ///
    /// The snapshot is open meanwhile.
    func firstLeaf(inSnapshot number: UInt64) throws(DataStoreError) -> UInt64? {
        guard let meta = try metaPage(ofSnapshot: number) else { return nil }
        return try reading { file in try PageWalk.firstLeaf(of: meta, in: file) }
    }

    /// The meta page of a snapshot, if it still exists.
    private func metaPage(ofSnapshot number: UInt64) throws(DataStoreError) -> MetaPage? {
        try metaPages().first { $0.transaction == number }
    }

    private func reading<Value>(
        _ body: (FileHandle) throws -> Value
    ) throws(DataStoreError) -> Value {
        do {
            let file = try FileHandle(forReadingFrom: url)
            defer { try? file.close() }
            return try body(file)
        } catch {
            throw DataStoreError(fileError: error, in: "open", path: url.path)
        }
    }

    private func metaPages() throws(DataStoreError) -> [MetaPage] {
        switch try reading({ file in try MetaPage.read(from: file) }) {
        case .metaPages(let pages): return pages
        case .empty, .damaged: throw damaged
        case .foreign:
            throw DataStoreError(
                .notAStore, in: "open",
                "“\(url.path)” does not begin as a file of this release of LMDB does: its first pages are damaged, or "
                    + "it belongs to another program. \(DataStoreError.rescueOrMove)")
        }
    }

    private var damaged: DataStoreError {
        DataStoreError(
            .corrupted, in: "open",
            "“\(url.path)” has been cut off or overwritten: pages in use are missing, or its first pages "
                + "contradict each other. It was left untouched; \(DataStoreError.rescue)")
    }
}
