import Foundation
import JustPersist
import JustPersistRecords

/// Room on the disk that is kept for a database, so that items can be deleted from it and its files compacted when the disk is
/// full.
///
/// A file takes it, as large as what LevelDB needs to open the database anew and to merge tables. When the disk is full, the
/// file is deleted; what adds to the database is refused until there is room to make it again.
final class Reserve: Sendable {
    static let fileName = "RESERVE"
    /// What a deleted item may add to the change log.
    static let deletion = 64
    /// Of larger databases no more is kept: their tables are merged a few at a time.
    private static let most = 64 << 20

    private enum State {
        /// The disk had no room for it when the database was opened, or does not keep room.
        case missing
        case kept(byteCount: Int)
        case inUse(byteCount: Int)
    }

    private struct Content {
        var state = State.missing
        /// What was written since its size was last looked at.
        var written = 0
    }

    private let directory: StoreDirectory
    private let content = Locked(Content())
    private var path: String { directory.path + "/" + Self.fileName }

    /// The reserve of a database: what an earlier opening has kept, if it is there.
    init(in directory: StoreDirectory) {
        self.directory = directory
        let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size]) as? Int
        if let size, size > 0 { content.withLock { $0.state = .kept(byteCount: size) } }
    }

    /// Whether there is room that can be given up.
    var isThere: Bool { content.withLock { if case .kept = $0.state { true } else { false } } }

    /// Whether it was given up, and there was no room since to keep it again.
    var isInUse: Bool { content.withLock { if case .inUse = $0.state { true } else { false } } }

    /// Gives the room up.
    func release() {
        content.withLock { content in
            guard case .kept(let byteCount) = content.state else { return }
            unsafe unlink(path)
            content.state = .inUse(byteCount: byteCount)
        }
    }

    /// Takes note of what was committed, and keeps more room as the database grows.
    func note(_ changes: OrderedKeyMap<[UInt8]?>) {
        let isDue = content.withLock { content in
            content.written += changes.byteCount
            // What is written adds about twice as much to the need, for which there is a fifth of the room.
            return switch content.state {
            case .missing: content.written >= 1 << 20
            case .kept(let byteCount): content.written >= max(1 << 16, byteCount / 16)
            case .inUse: true
            }
        }
        if isDue { keep() }
    }

    /// Keeps as much room as the database needs now, if the disk has twice as much; returns whether some is kept.
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
            // A part of it is of no use.
            ftruncate(file, off_t(known))
            return false
        }
    #endif

    /// The refusal of a write that adds to the database while the room is in use.
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
