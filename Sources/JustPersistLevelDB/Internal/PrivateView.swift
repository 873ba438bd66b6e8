import Foundation
import JustPersist
import JustPersistRecords

/// A database that cannot be written to, opened in a temporary directory with links to its tables and copies of its
/// other files.
///
/// LevelDB cannot open a database without writing: it starts a log and a manifest, and sorts the contents of logs into
/// a table. Tables never change, so they need not be copied, however large the database is.
final class PrivateView: Sendable {
    /// The directory in which the database can be opened.
    let directory: StoreDirectory
    /// The lock file, locked for reading to keep other processes from opening the database for writing; -1 if there is
    /// none.
    private let lock: Int32
    private let forkCount = ForkCount.current

    /// Whether a directory must be opened in this way.
    static func isNeeded(for directory: StoreDirectory) -> Bool {
        unsafe access(directory.path, W_OK) != 0
    }

    /// Creates the view of a directory that is claimed and not open in this process.
    ///
    /// - Throws: `.lockedByAnotherProcess` if another process has the database open for writing, or an error of the
    ///   file system.
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
            // Copies have the permissions of the originals.
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

    /// The files that the view creates itself, or does not need.
    private static let left = ["LOCK", "LOG", "LOG.old", Room.fileName, Reserve.fileName]

    /// An error that names the original database instead of the view.
    func renamed(_ error: DataStoreError, of original: StoreDirectory) -> DataStoreError {
        DataStoreError(
            error.code, in: error.operation,
            error.fact.replacing(directory.path, with: original.path), advice: error.advice,
            engine: error.engine)
    }

    /// Removes the directory with its links, but not the linked files.
    deinit {
        // In a forked child, the directory still belongs to the parent.
        guard ForkCount.current == forkCount else { return }
        try? FileManager.default.removeItem(at: directory.url)
        if lock >= 0 { close(lock) }
    }
}
