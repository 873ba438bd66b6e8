import Foundation
import JustPersist

/// How far a migration is, as the file of a ``MigratingDataStore`` says.
struct MigrationRecord: Codable, Equatable {
    /// How the file is written.
    private var format = 1
    /// How far the migration is.
    var phase: MigratingDataStore.Phase
    /// The histories of the two stores, by which they are known again.
    let old: ItemID
    let new: ItemID
    /// The place in the history of the store in charge up to which the other one is the same; `nil` if that is not known.
    var token: ChangeToken?

    init(_ phase: MigratingDataStore.Phase, old: ItemID, new: ItemID) {
        self.phase = phase
        self.old = old
        self.new = new
    }

    /// What a file says; `nil` if there is none.
    init?(at url: URL) throws(DataStoreError) {
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            let failure = DataStoreError(fileError: error, in: "open", path: url.path)
            if failure.code == .storeNotFound { return nil }
            throw failure
        }
        do {
            self = try JSONDecoder().decode(Self.self, from: data)
        } catch {
            throw Self.unreadable(url)
        }
        guard format == 1 else { throw Self.unreadable(url) }
    }

    private static func unreadable(_ url: URL) -> DataStoreError {
        DataStoreError(
            .invalidInput, in: "open",
            """
            “\(url.path)” does not say how far the migration is: it was written by something else, or by a newer release. \
            Choose the file that was given before, or put it back.
            """)
    }

    /// Writes the file: after a crash it is the old one or the new one, as a whole.
    func write(to url: URL) throws(DataStoreError) {
        let draft = url.appendingPathExtension("new")
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(self).write(to: draft)
            let file = try FileHandle(forUpdating: draft)
            defer { try? file.close() }
            try file.synchronize()
            guard unsafe rename(draft.path, url.path) == 0 else {
                throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            }
        } catch {
            throw DataStoreError(fileError: error, in: "migrate", path: url.path)
        }
        // Best effort: some file systems cannot sync a directory, and need not.
        let directory = FileHandle(forReadingAtPath: url.deletingLastPathComponent().path)
        try? directory?.synchronize()
        try? directory?.close()
    }
}

/// Keeps everybody else from opening the same migration.
final class MigrationLock: Sendable {
    private let file: FileHandle
    private let path: String
    /// The files that are locked by this process.
    private static let locked = Locked<Set<String>>([])

    /// Locks the migration whose file is `url`.
    init(_ url: URL) throws(DataStoreError) {
        let place = url.resolvingSymlinksInPath().appendingPathExtension("lock")
        let descriptor = unsafe open(place.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw DataStoreError(
                fileError: POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO), in: "open",
                path: place.path)
        }
        path = place.path
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // Of this opening of the file: a second one in this process is refused too.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let isHere = Self.locked.withLock { [path] in $0.contains(path) }
            throw DataStoreError(
                isHere ? .alreadyOpen : .lockedByAnotherProcess, in: "open",
                """
                The migration of “\(url.path)” is open \(isHere ? "already" : "in another process"). Use that one, or close it first.
                """)
        }
        Self.locked.withLock { [path] in _ = $0.insert(path) }
    }

    deinit { Self.locked.withLock { [path] in _ = $0.remove(path) } }
}
