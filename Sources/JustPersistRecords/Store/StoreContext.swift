import JustPersist

/// What the blocks of one open store share.
final class StoreContext: Sendable {
    /// Tells the items of one store from those of another.
    let storeID: ItemID
    /// Tells them from those of a copy of the store's files, which has the same id.
    let files: FileIdentity?
    let limits: DataStoreLimits
    /// The length below which a text needs no look at the limits.
    let smallText: Int
    let report: DataStoreErrorHandler

    init(
        storeID: ItemID, files: FileIdentity?, limits: DataStoreLimits,
        report: @escaping DataStoreErrorHandler
    ) {
        self.storeID = storeID
        self.files = files
        self.limits = limits
        smallText = min(1 << 12, limits.valueBytes)
        self.report = report
    }
}
