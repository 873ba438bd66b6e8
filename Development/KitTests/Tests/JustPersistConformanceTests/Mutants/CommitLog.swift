import Foundation

@testable import JustPersist
@testable import JustPersistConformance

/// The file of a persistent store, which one store in one process at a time has open.
final class CommitLog: Sendable {
    private static let name = "commits"
    private static let firstLine = "commits of a store, one in a line\n"
    /// The files that are open in this process.
    private static let open = Locked<Set<String>>([])

    private let handle: FileHandle
    private let path: String?

    /// Opens the file in a directory; creates both if they do not exist.
    ///
    /// Without its guards it accepts any file, and locks out no other store.
    init(in directory: URL, guarded: Bool = true) throws {
        let files = FileManager.default
        try files.createDirectory(
            at: directory, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let file = directory.appending(path: Self.name)
        let isNew = !files.fileExists(atPath: file.path)
        if isNew, guarded, !(try files.contentsOfDirectory(atPath: directory.path).isEmpty) {
            throw Self.notAStore(directory)
        }
        let path = directory.resolvingSymlinksInPath().path
        if guarded, !Self.open.withLock({ $0.insert(path).inserted }) {
            throw DataStoreError(.alreadyOpen, in: "open", "The store is open: \(path)")
        }
        do {
            if isNew {
                try Data(Self.firstLine.utf8).write(to: file)
                try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            }
            // A process that is started meanwhile would inherit the lock.
            let descriptor = unsafe Foundation.open(file.path, O_RDWR | O_CLOEXEC)
            if descriptor < 0 { throw CocoaError(.fileReadUnknown) }
            handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            if guarded {
                try Self.lock(handle)
                if try handle.read(upToCount: Self.firstLine.utf8.count)
                    != Data(Self.firstLine.utf8)
                {
                    throw Self.notAStore(directory)
                }
            }
        } catch {
            if guarded { Self.open.withLock { _ = $0.remove(path) } }
            throw error
        }
        self.path = guarded ? path : nil
    }

    deinit {
        try? handle.close()
        if let path { Self.open.withLock { _ = $0.remove(path) } }
    }

    private static func lock(_ handle: FileHandle) throws {
        if flock(handle.fileDescriptor, LOCK_EX | LOCK_NB) != 0 {
            throw DataStoreError(
                .lockedByAnotherProcess, in: "open", "Another process has the store open.")
        }
    }

    private static func notAStore(_ directory: URL) -> DataStoreError {
        DataStoreError(.notAStore, in: "open", "There is something else in \(directory.path).")
    }

    /// The state after all commits; an unfinished line at the end is cut off.
    func read() throws -> ReferenceState {
        try handle.seek(toOffset: 0)
        let data = try handle.readToEnd() ?? Data()
        var lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let unfinished = lines.removeLast()
        try handle.truncate(atOffset: UInt64(data.count - unfinished.count))
        var state = ReferenceState()
        for line in lines.dropFirst() {
            try JSONDecoder().decode(CommitRecord.self, from: line).apply(to: &state)
        }
        return state
    }

    /// Writes a commit.
    func append(_ commit: CommitRecord) {
        // A failure is found when the store is opened again.
        guard let line = try? JSONEncoder().encode(commit) else { return }
        _ = try? handle.seekToEnd()
        try? handle.write(contentsOf: line + Data("\n".utf8))
    }

    /// Deletes the file in a directory, and that if there is nothing else in it.
    static func remove(from directory: URL) throws {
        let files = FileManager.default
        let file = directory.appending(path: name)
        if files.fileExists(atPath: file.path) { try files.removeItem(at: file) }
        if (try? files.contentsOfDirectory(atPath: directory.path))?.isEmpty == true {
            try files.removeItem(at: directory)
        }
    }
}
