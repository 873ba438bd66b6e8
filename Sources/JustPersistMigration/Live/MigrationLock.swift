import Foundation
import JustPersist

/// Prevents the same migration from being opened twice.
final class MigrationLock: Sendable {
    private let file: FileHandle
    private let path: String
    private let forks = ForkCount.current
    /// The files that are locked by this process.
    private static let locked = Locked<Set<String>>([], isProcessWide: true)

    /// Locks the migration whose file is `url`.
    init(_ url: URL) throws(DataStoreError) {
        let place = url.appendingPathExtension("lock")
        let descriptor = unsafe open(place.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw DataStoreError(systemError: errno, in: "open", path: place.path)
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // The lock belongs to this opening of the file, so a second one in this process is refused, too.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let isHere = Self.locked.withLock { $0.contains(place.path) }
            throw DataStoreError(
                isHere ? .alreadyOpen : .lockedByAnotherProcess, in: "open",
                """
                The migration of “\(url.path)” is open \(isHere ? "already" : "in another process"). Use that one, or close it first.
                """)
        }
        // Assigned last, because `deinit` must not release a lock that was not acquired.
        self.file = file
        path = place.path
        Self.locked.withLock { _ = $0.insert(place.path) }
    }

    deinit {
        // Closing the file does not release the lock while a child process is being started, because the child has the
        // file open until it runs its program. A forked process must not release the lock of this one.
        if ForkCount.current == forks { _ = flock(file.fileDescriptor, LOCK_UN) }
        Self.locked.withLock { [path] in _ = $0.remove(path) }
    }
}
