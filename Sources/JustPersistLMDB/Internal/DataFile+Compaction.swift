import CLMDB
import Foundation
import JustPersist
import JustPersistRecords

extension DataFile {
    /// Replaces this file, which must not be open, with one that has only the pages in use.
    ///
    /// After a crash, either the old or the new file is there completely, and perhaps a draft, which the next
    /// compaction removes.
    func compact(_ meter: MaintenanceMeter) throws -> CompactionReport {
        removeDrafts()
        let before = size(of: url)
        let draft = newDraft
        defer { removeDrafts() }
        try writeCompacted(to: draft, before, meter)
        // LMDB's output is checked before it is used.
        let found = try FileHandle(forReadingFrom: draft)
        defer { try? found.close() }
        guard case .metaPages(let pages) = try MetaPage.read(from: found),
            let newest = pages.max(by: { $0.transaction < $1.transaction })
        else { throw incomplete }
        do {
            try PageWalk.check(newest, in: found)
        } catch is PageWalk.Damage {
            throw incomplete
        }
        guard newest.main.entries == (try entryCount()) else { throw incomplete }
        // If this process is killed before the new name is on the disk, the next one to open the store finds this
        // draft: see ``hasDraft()``.
        let mark = unsafe open(newDraft.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard mark >= 0 else {
            throw DataStoreError(systemError: errno, in: "compact", path: directory.path)
        }
        Foundation.close(mark)
        guard unsafe rename(draft.path, url.path) == 0 else {
            throw DataStoreError(systemError: errno, in: "compact", path: url.path)
        }
        try directory.synchronize(in: "compact")
        return CompactionReport(bytesBefore: before, bytesAfter: size(of: url))
    }

    private func writeCompacted(to draft: URL, _ size: Int, _ meter: MaintenanceMeter) throws {
        try meter.begin(.files, totalBytes: size)
        var opened: OpaquePointer?
        var code = unsafe mdb_env_create(&opened)
        defer { if unsafe opened != nil { unsafe mdb_env_close(opened) } }
        // The caller has locked the store, as LMDB itself would.
        let flags = UInt32(MDB_RDONLY | MDB_NOLOCK | MDB_NOTLS)
        if code == MDB_SUCCESS {
            code = unsafe mdb_env_open(opened, directory.path, flags, 0o600)
        }
        try LMDBError.check(code, in: "compact", at: directory)
        guard let environment = unsafe opened else { throw incomplete }
        _ = try unsafe EnvironmentCopy.write(
            environment, to: draft, compacting: true, at: directory, for: "compact", meter)
    }

    private func entryCount() throws -> UInt64? {
        let file = try FileHandle(forReadingFrom: url)
        defer { try? file.close() }
        guard case .metaPages(let pages) = try MetaPage.read(from: file) else { return nil }
        return pages.max { $0.transaction < $1.transaction }?.main.entries
    }

    private func size(of file: URL) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int) ?? 0
    }

    private var incomplete: DataStoreError {
        DataStoreError(
            .storageFailure, in: "compact",
            "LMDB did not write a whole copy of “\(url.path)”. The store is as it was; check the disk, "
                + "and verify the store.")
    }
}
