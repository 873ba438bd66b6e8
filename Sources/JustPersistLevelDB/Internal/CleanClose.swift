import Foundation
import JustPersist
import JustPersistRecords

/// The last commit of a database that was closed properly, and the log that contains it.
///
/// A log that was cut off looks like one whose last writes never happened; this note distinguishes the two. It is valid
/// until LevelDB opens the database, which starts a new log: after a crash there is no valid note.
struct CleanClose: Equatable {
    static let fileName = "CLOSED"
    private static let freshName = "CLOSED.new"
    static let fileNames = [fileName, freshName]

    let log: UInt64
    let commit: UInt64

    private var text: String {
        let facts = "log \(log) commit \(commit)"
        return "\(facts) checksum \(CRC32C.masked(of: Array(facts.utf8)[...]))\n"
    }

    /// The note in the directory; `nil` if there is none, or if it is damaged.
    private init?(in directory: URL) throws(DataStoreError) {
        let place = directory.appending(path: Self.fileName)
        guard try FileAttributes(ofItemAt: place)?.type == .typeRegular else { return nil }
        let bytes: Data
        do {
            let file = try FileHandle(forReadingFrom: place)
            defer { try? file.close() }
            bytes = try file.read(upToCount: 200) ?? Data()
        } catch {
            throw DataStoreError(fileError: error, in: "open", path: place.path)
        }
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard words.count == 6, let log = UInt64(words[1]), let commit = UInt64(words[3]) else {
            return nil
        }
        self.log = log
        self.commit = commit
        guard bytes == Data(text.utf8) else { return nil }
    }

    private init(log: UInt64, commit: UInt64) {
        self.log = log
        self.commit = commit
    }

    /// Notes that a database was closed after this commit, which is in its last log.
    ///
    /// The caller holds the lock. Failures are ignored: without the note, only a log that was cut off is not detected.
    static func note(commit: UInt64, in directory: StoreDirectory) {
        let place = directory.url.appending(path: fileName)
        let fresh = directory.url.appending(path: freshName)
        do {
            let logs = try DirectoryListing.names(in: directory.url, for: "close")
                .compactMap { name in LogFile(named: name).flatMap { $0.isKept ? nil : $0.number } }
            guard let last = logs.max() else { return }
            // Unsynced commits could otherwise be lost while the note survives.
            for log in logs { try synchronize(directory.url.appending(path: LogFile.name(log))) }
            // Remains of a crash are removed first: nothing is written through a link.
            unsafe unlink(fresh.path)
            let file = try PlainFile.handle(fresh, O_WRONLY | O_CREAT | O_EXCL)
            defer { try? file.close() }
            try file.write(contentsOf: Data(CleanClose(log: last, commit: commit).text.utf8))
            try file.synchronize()
            guard unsafe rename(fresh.path, place.path) == 0 else { return }
            try directory.synchronize(in: "close")
        } catch {
            unsafe unlink(fresh.path)
        }
    }

    private static func synchronize(_ file: URL) throws {
        let handle = try PlainFile.handle(file, O_RDWR)
        defer { try? handle.close() }
        try handle.synchronize()
    }

    /// Refuses a database whose logs lack the commit in the note.
    static func check(
        _ manifest: Manifest, _ logs: LogScan, in directory: URL
    ) throws(DataStoreError) {
        guard let note = try CleanClose(in: directory), manifest.logNumber <= note.log,
            logs.lastCommit ?? 0 < note.commit
        else { return }
        throw DataStoreError(
            .corrupted, in: "open",
            "The LevelDB store at “\(directory.path)” has lost committed data: its logs end before "
                + "commit \(note.commit), after which it was closed. It was left untouched; "
                + DataStoreError.rescue)
    }
}
