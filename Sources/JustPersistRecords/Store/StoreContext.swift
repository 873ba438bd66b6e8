import JustPersist
import Synchronization

/// What the blocks of one open store share.
final class StoreContext: Sendable {
    /// Tells the items of one store from those of another.
    let storeID: ItemID
    /// Tells them from those of a copy of the store's files, which has the same id.
    let files: FileIdentity?
    let limits: DataStoreLimits
    /// Whether the engine leaves it to the checksums of records to notice damage.
    let checksBytes: Bool
    /// Whether the engine keeps the entries of indexes.
    let keepsIndexes: Bool
    /// The length below which a text needs no look at the limits.
    let smallText: Int
    /// Tells the history of its commits from every other.
    let historyID: ItemID
    /// Where types are declared, if the store is a child.
    let root: RootCatalog?
    /// Where work is logged.
    let log: StoreLog?
    let report: DataStoreErrorHandler
    /// Tells those who observe the store what is committed.
    let feed: ChangeFeed
    /// How many write blocks run here, or have committed and are still to be announced.
    private let unannounced = Atomic(0)
    /// The types, by number, of which damage keeps an index from being written; tried again when the store is opened.
    let damagedTypes = Locked<Set<UInt32>>([])
    var failedBuilds: Set<UInt32> { damagedTypes.withLock { $0 } }
    private let count: @Sendable (ValueGroup, inout Counts) -> Int?
    /// Counted once behind a commit: each item with such a value asks.
    private let counts = Locked(Counts())

    /// What was counted in the state behind a commit.
    struct Counts {
        var commit: UInt64 = 0
        var known: [ValueGroup: Int] = [:]
    }

    /// The values of one kind that the items of a type have for an attribute.
    struct ValueGroup: Hashable {
        let type: UInt32
        let attribute: UInt16
        let kind: DataStoreValue.Kind
    }

    init(
        storeID: ItemID, files: FileIdentity?, limits: DataStoreLimits, checksBytes: Bool,
        keepsIndexes: Bool, feed: ChangeFeed, root: RootCatalog? = nil, log: StoreLog? = nil,
        report: @escaping DataStoreErrorHandler,
        count: @escaping @Sendable (ValueGroup, inout Counts) -> Int?
    ) {
        self.storeID = storeID
        self.files = files
        self.limits = limits
        self.checksBytes = checksBytes
        self.keepsIndexes = keepsIndexes
        self.root = root
        // A child begins a history of its own each time that it is opened.
        historyID = root == nil ? storeID : ItemID()
        self.count = count
        smallText = min(1 << 12, limits.valueBytes)
        self.log = log
        self.report = report
        self.feed = feed
    }

    /// Notes a write block that has begun: it may commit before those who observe the store are told.
    func noteUnannounced() { unannounced.add(1, ordering: .sequentiallyConsistent) }

    /// Notes that they were told, or that the block has come to nothing.
    func noteAnnounced() { unannounced.subtract(1, ordering: .sequentiallyConsistent) }

    /// Whether a block may have committed of which they were not told.
    var isAnnouncing: Bool { unannounced.load(ordering: .sequentiallyConsistent) > 0 }

    /// How many items have a value of a kind, as of the last commit here; `nil` if it cannot be told.
    func countOfValues(
        of kind: DataStoreValue.Kind, attribute: UInt16, type: UInt32
    ) -> Int? {
        let group = ValueGroup(type: type, attribute: attribute, kind: kind)
        // Not under the lock: it reads, and whoever reads may ask.
        var counts = counts.withLock { $0 }
        let count = count(group, &counts)
        self.counts.withLock { [counts] in $0 = counts }
        return count
    }
}
