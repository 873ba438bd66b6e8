import Foundation
import JustPersist
import JustPersistRecords

/// Disk space that is reserved for a database: on a full disk, it is used to delete items and to compact the files.
///
/// A file takes up the space, as much as LevelDB needs to reopen the database and to merge tables. When the disk is
/// full, the file is deleted; writes that add to the database are refused until there is space to create it again.
final class Reserve: Sendable {
    static let fileName = "RESERVE"
    /// The size in bytes that a deletion may add to the change log.
    static let deletion = 64
    /// The maximum: the tables of larger databases are merged a few at a time.
    private static let most = 64 << 20

    private enum State {
        /// The disk had no space for the file when the database was opened, or does not support reserving space.
        case missing
        case kept(byteCount: Int)
        case inUse(byteCount: Int)
    }

    private struct Content {
        var state = State.missing
        /// The number of bytes written since the size was last checked.
        var written = 0
    }

    private let directory: StoreDirectory
    private let content = Locked(Content())
    private var path: String { directory.path + "/" + Self.fileName }

    /// The reserve of a database: that of an earlier opening, if it exists.
    init(in directory: StoreDirectory) {
        self.directory = directory
        let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size]) as? Int
        if let size, size > 0 { content.withLock { $0.state = .kept(byteCount: size) } }
    }

    /// Whether there is space that can be released.
    var isThere: Bool { content.withLock { if case .kept = $0.state { true } else { false } } }

    /// Whether the space was released, and could not be reserved again since.
    var isInUse: Bool { content.withLock { if case .inUse = $0.state { true } else { false } } }

    /// Releases the space.
    func release() {
        content.withLock { content in
            guard case .kept(let byteCount) = content.state else { return }
            unsafe unlink(path)
            content.state = .inUse(byteCount: byteCount)
        }
    }

    /// Notes a commit, and reserves more space as the database grows.
    func note(_ changes: OrderedKeyMap<[UInt8]?>) {
        let isDue = content.withLock { content in
            content.written += changes.byteCount
            // Written data adds about twice its size to the need, for which a fifth of the reserve is left.
            return switch content.state {
            case .missing: content.written >= 1 << 20
            case .kept(let byteCount): content.written >= max(1 << 16, byteCount / 16)
            case .inUse: true
            }
        }
        if isDue { keep() }
    }

    /// Reserves the space that the database needs now, if the disk has twice as much; returns whether any is reserved.
    @discardableResult
    func keep() -> Bool {
        #if os(Linux)
            let needed = (try? Room.estimate(in: directory)) ?? 0
            let wanted = min(needed + needed / 4 + 1 << 17, Self.most)
            return content.withLock { content in
                content.written = 0
                var known = 0
                if case .kept(let byteCount) = content.state { known = byteCount }
                guard wanted > known || wanted < known / 2 else { return known > 0 }
                guard (directory.freeSpace ?? 0) >= 2 * (wanted - known), make(wanted, from: known)
                else {
                    return known > 0
                }
                content.state = .kept(byteCount: wanted)
                return true
            }
        #else
            return false
        #endif
    }

    #if os(Linux)
        private func make(_ byteCount: Int, from known: Int) -> Bool {
            let file = unsafe open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard file >= 0 else { return false }
            defer { close(file) }
            if byteCount < known { return ftruncate(file, off_t(byteCount)) == 0 }
            if posix_fallocate(file, 0, off_t(byteCount)) == 0 { return true }
            // A partial reserve is useless.
            ftruncate(file, off_t(known))
            return false
        }
    #endif

    /// The error of a write that adds to the database while the space is in use.
    var error: DataStoreError {
        let byteCount = content.withLock { content in
            if case .inUse(let byteCount) = content.state { byteCount } else { 0 }
        }
        return DataStoreError(
            .storageFull, in: "write",
            """
            There is no room left to write to the LevelDB store at “\(directory.path)”. It needs up to \
            \(Room.text(2 * byteCount)), more than is free: the rest is kept for deleting and compacting. Delete items and \
            compact the store, or free some space; what was committed is there.
            """)
    }
}
