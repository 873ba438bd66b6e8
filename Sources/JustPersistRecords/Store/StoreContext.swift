import JustPersist
import Synchronization

/// The context that the blocks of one open store share.
final class StoreContext: Sendable {
    /// Identifies the store; items carry it.
    let storeID: ItemID
    /// Identifies the store's files: a copy of them has the same store id.
    let files: FileIdentity?
    let limits: DataStoreLimits
    /// Whether damage must be detected with the checksums of records, because the engine has no checksums.
    let checksBytes: Bool
    /// Whether the engine keeps the entries of indexes.
    let keepsIndexes: Bool
    /// A text shorter than this is not checked against the limits.
    let smallText: Int
    /// Identifies the history of the store's commits.
    let historyID: ItemID
    /// The function that declares types in the root store, if the store is a child.
    let root: RootCatalog?
    /// The store's log.
    let log: StoreLog?
    let report: DataStoreErrorHandler
    /// Reports commits to the observers of the store.
    let feed: ChangeFeed
    /// The number of write blocks that are running, or have committed but are not announced yet.
    private let unannounced = Atomic(0)
    /// The numbers of the types with damage that prevents an index from being written.
    ///
    /// The index is tried again when the store is opened.
    let damagedTypes = Locked<Set<UInt32>>([])
    var failedBuilds: Set<UInt32> { damagedTypes.withLock { $0 } }
    private let count: @Sendable (ValueGroup, inout Counts) -> Int?
    /// Counted once after each commit, because each item with such a value requests the count.
    private let counts = Locked(Counts())

    /// The counts in the state after a commit.
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
        // A child begins a new history each time it is opened.
        historyID = root == nil ? storeID : ItemID()
        self.count = count
        smallText = min(1 << 12, limits.valueBytes)
        self.log = log
        self.report = report
        self.feed = feed
    }

    /// Notes that a write block has begun: it may commit before observers are notified.
    func noteUnannounced() { unannounced.add(1, ordering: .sequentiallyConsistent) }

    /// Notes that observers were notified, or that the block was rolled back.
    func noteAnnounced() { unannounced.subtract(1, ordering: .sequentiallyConsistent) }

    /// Whether a block may have committed that observers have not been notified of.
    var isAnnouncing: Bool { unannounced.load(ordering: .sequentiallyConsistent) > 0 }

    /// The number of items that have a value of a kind, as of the last commit here; `nil` if it is unknown.
    func countOfValues(
        of kind: DataStoreValue.Kind, attribute: UInt16, type: UInt32
    ) -> Int? {
        let group = ValueGroup(type: type, attribute: attribute, kind: kind)
        // Not under the lock: counting reads the store, and reading may ask for a count.
        var counts = counts.withLock { $0 }
        let count = count(group, &counts)
        self.counts.withLock { [counts] in $0 = counts }
        return count
    }
}
