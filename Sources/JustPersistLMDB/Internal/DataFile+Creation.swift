import CLMDB
import Foundation
import JustPersist
import JustPersistRecords

extension DataFile {
    /// Creates the file of an empty store atomically.
    ///
    /// LMDB itself creates the file first and fills it afterwards. A crash in between would leave a file that looks
    /// like a store that was emptied.
    ///
    /// The draft stays until the directory is synced, and with it the name of the file: ``hasDraft()``. The lock file
    /// is created later, because it must not exist without the data file.
    func create() throws(DataStoreError) {
        do throws(DataStoreError) {
            try createUnsynced()
        } catch {
            removeDrafts()
            throw error
        }
        try directory.synchronize(in: "open", isNew: true)
        removeDrafts()
    }

    private func createUnsynced() throws(DataStoreError) {
        let draft = newDraft
        var pointer: OpaquePointer?
        var code = unsafe mdb_env_create(&pointer)
        if code == MDB_SUCCESS {
            let flags = UInt32(MDB_NOSUBDIR | MDB_NOLOCK)
            code = unsafe mdb_env_open(pointer, draft.path, flags, 0o600)
            if code == MDB_SUCCESS { code = unsafe mdb_env_sync(pointer, 1) }
            unsafe mdb_env_close(pointer)
        }
        try LMDBError.check(code, in: "open", at: directory)
        // The file is linked, because renaming would replace a store that another process created meanwhile.
        if unsafe link(draft.path, url.path) == 0 { return }
        if try FileAttributes(ofItemAt: url) != nil { return }
        do {
            // Not every file system has links.
            try FileManager.default.moveItem(at: draft, to: url)
        } catch {
            if try FileAttributes(ofItemAt: url) != nil { return }
            throw DataStoreError(fileError: error, in: "open", path: url.path)
        }
    }

    /// Takes disk space for the lock file.
    ///
    /// LMDB writes the file through memory, so the lack of a page would end the process.
    func allocateLock(for readers: Int) throws(DataStoreError) {
        #if os(Linux)
            let path = directory.url.appending(path: Self.lockName).path
            let file = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
            // LMDB reports it, or does without the file.
            guard file >= 0 else { return }
            defer { close(file) }
            // An existing file keeps its size, which says how many readers the processes that have it open have room for. A
            // new one gets no more than LMDB makes it. The first page has the locks and some readers.
            let size = Int(lseek(file, 0, SEEK_END))
            let length = min(size > 0 ? size : (readers + 1) * 64, 64 << 10)
            let failure = posix_fallocate(file, 0, off_t(min(length, 4 << 10)))
            if failure == ENOSPC || failure == EDQUOT {
                throw DataStoreError(systemError: failure, in: "open", path: path)
            }
            posix_fallocate(file, 0, off_t(length))
        #endif
    }

    /// A name for a file that is not the store's yet.
    var newDraft: URL { directory.url.appending(path: "new-\(UUID().uuidString).mdb") }

    /// Whether a process was killed, or is at work, before the name of the data file is certainly on the disk.
    func hasDraft() throws(DataStoreError) -> Bool {
        try DirectoryListing.names(in: directory.url).contains(where: Self.isDraft)
    }

    /// Whether a file is one that ``create()`` did not complete.
    static func isDraft(_ name: String) -> Bool { name.hasPrefix("new-") && name.hasSuffix(".mdb") }

    /// Deletes drafts, including those of processes that died, as far as possible.
    func removeDrafts() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        for name in names where Self.isDraft(name) {
            try? FileManager.default.removeItem(at: directory.url.appending(path: name))
        }
    }
}
