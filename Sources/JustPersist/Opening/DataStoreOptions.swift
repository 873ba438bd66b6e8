/// What can be chosen of any store, whatever its backend.
public struct DataStoreOptions: Sendable {
    /// What committed writes survive.
    public var durability: Durability
    /// Whether writes are refused.
    public var isReadOnly: Bool
    /// Whether a store that is not there is made; without it that is an error.
    public var createsIfMissing: Bool
    /// How much the store is to keep of its history, for streams of changes; `nil` for what it keeps already.
    public var changeLog: ChangeLogLength?
    /// On which thread the blocks of `read` and `writeSync` run.
    public var threading: DataStoreThreading
    /// Receives the failures of calls that cannot throw.
    public var errorHandler: DataStoreErrorHandler?

    /// Options; by default a durable store that is made if it is not there.
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
