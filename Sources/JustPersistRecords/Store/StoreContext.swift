import JustPersist

/// What the blocks of one open store share.
final class StoreContext: Sendable {
    /// Tells the items of one store from those of another.
    let storeID: ItemID
    let limits: DataStoreLimits
    /// The length below which a text needs no look at the limits.
    let smallText: Int
    let report: DataStoreErrorHandler

    init(storeID: ItemID, limits: DataStoreLimits, report: @escaping DataStoreErrorHandler) {
        self.storeID = storeID
        self.limits = limits
        smallText = min(1 << 12, limits.valueBytes)
        self.report = report
    }
}
