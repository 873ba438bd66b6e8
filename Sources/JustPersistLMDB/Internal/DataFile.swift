import Foundation
import JustPersist
import JustPersistRecords

/// The file that holds an LMDB store, checked for what LMDB itself takes on trust.
struct DataFile {
    static let name = "data.mdb"
    static let lockName = "lock.mdb"
    static let names = [name, lockName]

    let directory: StoreDirectory
    private var url: URL { directory.url.appending(path: Self.name) }

    /// Refuses a file that is of another kind or lacks its first pages, before LMDB opens it.
    func checkStart() throws(DataStoreError) {
        _ = try metaPages()
    }

    /// Refuses a file that lacks pages of a snapshot.
    ///
    /// The snapshot is open meanwhile, so that no process changes its pages.
    func checkLength(for snapshot: borrowing TransactionHandle) throws(DataStoreError) {
        let number = snapshot.number
        guard let meta = try metaPages().first(where: { $0.transaction == number }) else {
            // Other processes have committed twice since, and extended the file as they did.
            return
        }
        let isComplete: Bool
        do {
            let file = try FileHandle(forReadingFrom: url)
            defer { try? file.close() }
            isComplete = try PageWalk.isComplete(meta, in: file)
        } catch {
            throw DataStoreError(fileError: error, in: "open", path: url.path)
        }
        guard isComplete else { throw damaged }
    }

    private func metaPages() throws(DataStoreError) -> [MetaPage] {
        guard FileManager.default.fileExists(atPath: url.path) else { return [] }
        let finding: MetaPage.Finding
        do {
            let file = try FileHandle(forReadingFrom: url)
            defer { try? file.close() }
            finding = try MetaPage.read(from: file)
        } catch {
            throw DataStoreError(fileError: error, in: "open", path: url.path)
        }
        switch finding {
        case .empty: return []
        case .metaPages(let pages): return pages
        case .damaged: throw damaged
        case .foreign:
            throw DataStoreError(
                .notAStore, in: "open",
                "“\(url.path)” is not a file that this release of LMDB can read. It was left "
                    + "untouched; choose another path.")
        }
    }

    private var damaged: DataStoreError {
        DataStoreError(
            .corrupted, in: "open",
            "“\(url.path)” has been cut off or overwritten: pages in use are missing. It was left "
                + "untouched; restore it from a copy.")
    }
}
