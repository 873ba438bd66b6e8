import Foundation
import JustPersist

/// A directory of one import, which is deleted with the object.
///
/// It is locked. If the process ends before that, the system releases the lock, and the next import deletes the directory.
final class PrivateDirectory {
    let url: URL
    private let lock: FileHandle
    private static let prefix = "justpersist-coredata-"

    /// Makes a directory, and deletes those of processes that have ended.
    init() throws(DataStoreError) {
        let parent = FileManager.default.temporaryDirectory
        Self.deleteAbandoned(in: parent)
        var locked: FileHandle?
        var place = parent
        // Another import may delete the directory before it is locked.
        for _ in 0..<10 where locked == nil {
            place = parent.appending(path: "\(Self.prefix)\(UUID().uuidString)")
            do {
                try FileManager.default.createDirectory(
                    at: place, withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
            } catch {
                throw DataStoreError(
                    fileError: error, in: "import", path: place.path(percentEncoded: false))
            }
            locked = Self.lock(place)
        }
        guard let locked else {
            throw DataStoreError(
                .storageFailure, in: "import",
                """
                “\(parent.path(percentEncoded: false))” cannot hold a locked directory. Choose another directory for temporary files \
                (TMPDIR).
                """)
        }
        url = place
        lock = locked
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Locks a directory of this user; `nil` if another object has locked it, or it does not exist.
    private static func lock(_ directory: URL) -> FileHandle? {
        let path = directory.path(percentEncoded: false)
        // SAFETY: the path is a C string for the call only.
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        // SAFETY: the descriptor is open, and the structure outlives the call.
        guard unsafe fstat(descriptor, &status) == 0, status.st_uid == geteuid(),
            flock(descriptor, LOCK_EX | LOCK_NB) == 0,
            FileManager.default.fileExists(atPath: path)
        else { return nil }
        return handle
    }

    private static func deleteAbandoned(in parent: URL) {
        let names = try? FileManager.default.contentsOfDirectory(
            atPath: parent.path(percentEncoded: false))
        for name in names ?? [] where name.hasPrefix(prefix) {
            let directory = parent.appending(path: name)
            guard let lock = Self.lock(directory) else { continue }
            try? FileManager.default.removeItem(at: directory)
            withExtendedLifetime(lock) {}
        }
    }
}
