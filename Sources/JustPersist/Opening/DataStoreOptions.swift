/// The options of every store, independent of its backend.
public struct DataStoreOptions: Sendable {
    /// The failures that committed writes survive.
    public var durability: Durability
    /// Whether writes are refused.
    public var isReadOnly: Bool
    /// Whether a missing store is created; if not, it is an error.
    public var createsIfMissing: Bool
    /// The history that the store keeps for change streams; `nil` for the length that it has.
    public var changeLog: ChangeLogLength?
    /// The thread on which the blocks of `read` and `writeSync` run.
    public var threading: DataStoreThreading
    /// Receives the failures of calls that cannot throw.
    public var errorHandler: DataStoreErrorHandler?

    /// Options; by default those of a durable store that is created if it is missing.
    public init(
        durability: Durability = .full, isReadOnly: Bool = false, createsIfMissing: Bool = true,
        changeLog: ChangeLogLength? = nil,
        threading: DataStoreThreading = .callingThread, errorHandler: DataStoreErrorHandler? = nil
    ) {
        self.durability = durability
        self.isReadOnly = isReadOnly
        self.createsIfMissing = createsIfMissing
        self.changeLog = changeLog
        self.threading = threading
        self.errorHandler = errorHandler
    }
}
