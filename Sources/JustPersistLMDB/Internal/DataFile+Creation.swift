import CLMDB
import Foundation
import JustPersist
import JustPersistRecords

extension DataFile {
    /// Makes the file of an empty store, whole or not at all.
    ///
    /// LMDB itself creates the file first and fills it then. A crash between the two would leave a file that
    /// looks like a store that somebody emptied.
    ///
    /// The draft stays until the directory is synced, and with it the name of the file: ``hasDraft()``. The lock file, which
    /// must not be there alone, is made later.
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
        // A link, since renaming would replace the store that another process made meanwhile.
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

    /// A name for a file that is not the store's yet.
    var newDraft: URL { directory.url.appending(path: "new-\(UUID().uuidString).mdb") }

    /// Whether a process was killed, or is at work, before the name of the data file is on the disk for certain.
    func hasDraft() throws(DataStoreError) -> Bool {
        try DirectoryListing.names(in: directory.url).contains(where: Self.isDraft)
    }

    /// Whether a file is one that ``create()`` did not come to finish.
    static func isDraft(_ name: String) -> Bool { name.hasPrefix("new-") && name.hasSuffix(".mdb") }

    /// Deletes drafts, also those of processes that died, as far as that can be done.
    func removeDrafts() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        for name in names where Self.isDraft(name) {
            try? FileManager.default.removeItem(at: directory.url.appending(path: name))
        }
    }
}
