/// The result of ``DataStore/salvage(into:progress:)``: the items saved from a damaged store, and its losses.
public struct SalvageReport: Sendable {
    /// One type of the store.
    public struct SalvagedType: Sendable {
        /// The type's key in the new store.
        public var itemType: String
        /// The number of items that were saved.
        public var saved = 0
        /// The number of items that the store had and that were not saved; `nil` if its number of items cannot be
        /// read.
        public var lost: Int?
        /// The ids of lost items, if they can still be read; at most ``SalvageReport/mostIDs``.
        public var lostIDs: [ItemID] = []
        /// The items that were saved in a state that may be older than the last commit, which may have deleted them.
        ///
        /// A newer entry may have been in a place that cannot be read. At most ``SalvageReport/mostIDs``.
        public var uncertainIDs: [ItemID] = []
        /// The number of items that ``uncertainIDs`` would list without its limit.
        public var uncertain = 0

        /// A type without saved items.
        public init(itemType: String) { self.itemType = itemType }
    }

    /// The most ids of a type that a report lists.
    public static let mostIDs = 10_000

    /// The types, in the order in which the store first saw them.
    public var types: [SalvagedType] = []
    /// The parts of the damaged store that cannot be read.
    public var damages: [DataStoreError] = []
    /// Whether any item may lack changes of the last commits, because the last state cannot be determined.
    public var mayLackChanges = false
    /// Whether the types have all their names, defaults and indexes; if not, ``damages`` lists what is missing.
    public var isCatalogComplete = true
    /// The links that were dropped, because an item that they relate was lost.
    ///
    /// They are among the lost items of their types.
    public var droppedLinks = 0
    /// The references of relationships that became nil in the new store, because their items were lost, or belong to
    /// another partner.
    public var clearedReferences = 0
    /// The faults of the new store, such as two items with equal values for a unique attribute.
    public var remaining: [DataStoreError] = []

    /// An empty report.
    public init() {}

    /// Whether every item was saved as of the last commit, with all types complete.
    public var isComplete: Bool {
        !mayLackChanges && isCatalogComplete && remaining.isEmpty && droppedLinks == 0
            && clearedReferences == 0
            && types.allSatisfy { $0.lost == 0 && $0.lostIDs.isEmpty && $0.uncertain == 0 }
    }
}
