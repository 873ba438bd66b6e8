import JustPersist

/// What the blocks and the items of one store share.
final class StoreContext: Sendable {
    /// Tells the items of one store from those of another.
    let storeID: ItemID
    let limits: DataStoreLimits
    let report: DataStoreErrorHandler

    init(storeID: ItemID, limits: DataStoreLimits, report: @escaping DataStoreErrorHandler) {
        self.storeID = storeID
        self.limits = limits
        self.report = report
    }
}
