import Foundation
import JustPersist
import JustPersistRecords

/// A database that cannot be written to, in a temporary directory of its own: its tables are links, and all else is copied.
///
/// LevelDB has no way to open a database without writing: it begins a log and a manifest, and sorts what it finds in logs
/// into a table. Tables never change, so they need not be copied, however large the database is.
final class PrivateView: Sendable {
    /// Where the database can be opened.
    let directory: StoreDirectory
    /// The lock file, locked for reading so that no process that can write opens the database; -1 if there is none.
    private let lock: Int32
    private let forkCount = ForkCount.current

    /// Whether a directory has to be opened in this way.
    static func isNeeded(for directory: StoreDirectory) -> Bool {
        unsafe access(directory.path, W_OK) != 0
    }

    /// Makes the view of a directory that is claimed and not open in this process.
    ///
    /// - Throws: `.lockedByAnotherProcess` if a process that can write has the database open, or what the file system reports.
    init(of original: StoreDirectory) throws(DataStoreError) {
        let lock = try FileLock.lockForReading(in: original.url)
        let url = FileManager.default.temporaryDirectory
            .appending(path: "justpersist-\(UUID().uuidString)", directoryHint: .isDirectory)
        do throws(DataStoreError) {
            try StoreDirectory.create(url.path)
            for name in try DirectoryListing.names(in: original.url)
            where LevelDBEngine.isOwn(name) && !Self.left.contains(name) {
                let (source, target) = (
                    original.url.appending(path: name), url.appending(path: name)
                )
                do {
                    if Manifest.tableNumber(name) == nil {
                        try FileManager.default.copyItem(at: source, to: target)
                    } else {
                        try FileManager.default.createSymbolicLink(
                            at: target, withDestinationURL: source)
                    }
                } catch {
                    throw DataStoreError(fileError: error, in: "open", path: target.path)
                }
            }
            // Copies have the permissions of what they are copied from.
            for name in try DirectoryListing.names(in: url) where Manifest.tableNumber(name) == nil
            {
                unsafe chmod(url.appending(path: name).path, 0o600)
            }
            directory = try StoreDirectory.prepare(
                at: url, marker: "CURRENT", engineName: "LevelDB", createIfMissing: false)
        } catch {
            try? FileManager.default.removeItem(at: url)
            if lock >= 0 { close(lock) }
            throw error
        }
        self.lock = lock
    }

    /// What the view has of its own, or does not need.
    private static let left = ["LOCK", "LOG", "LOG.old", Room.fileName, Reserve.fileName]

    /// An error that names the view, as one that names the database it is of.
    func renamed(_ error: DataStoreError, of original: StoreDirectory) -> DataStoreError {
        DataStoreError(
            error.code, in: error.operation,
            error.fact.replacing(directory.path, with: original.path), advice: error.advice,
            engine: error.engine)
    }

    /// Removes the directory; the links go, and not what they lead to.
    deinit {
        // In a child made by fork, it is still the parent's.
        guard ForkCount.current == forkCount else { return }
        try? FileManager.default.removeItem(at: directory.url)
        if lock >= 0 { close(lock) }
    }
}
