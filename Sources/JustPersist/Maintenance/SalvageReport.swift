/// What ``DataStore/salvage(into:progress:)`` saved of a damaged store, and what is lost.
public struct SalvageReport: Sendable {
    /// One type of the store.
    public struct SalvagedType: Sendable {
        /// The type's key in the new store.
        public var itemType: String
        /// The number of items that were saved.
        public var saved = 0
        /// The number of items that the store had and that were not saved; `nil` if the number it had cannot be read.
        public var lost: Int?
        /// The ids of lost items, as far as they can still be read; never more than ``SalvageReport/mostIDs``.
        public var lostIDs: [ItemID] = []
        /// The items that were saved, but may be older than the last commit, or may have been deleted by then.
        ///
        /// A newer entry may have stood in a place that cannot be read. Never more than ``SalvageReport/mostIDs``.
        public var uncertainIDs: [ItemID] = []
        /// How many items ``uncertainIDs`` would list, were it not limited.
        public var uncertain = 0

        /// A type of which nothing was saved.
        public init(itemType: String) { self.itemType = itemType }
    }

    /// The most ids of a type that a report lists.
    public static let mostIDs = 10_000

    /// The types, in the order in which the store first saw them.
    public var types: [SalvagedType] = []
    /// What of the damaged store cannot be read.
    public var damages: [DataStoreError] = []
    /// Whether any item may lack changes of the last commits: which state was the last cannot be told.
    public var mayLackChanges = false
    /// Whether the types have all their names, defaults and indexes; if not, ``damages`` says what is lacking.
    public var isCatalogComplete = true
    /// What is wrong with the new store, as two items that agree where none may.
    public var remaining: [DataStoreError] = []

    /// A report of nothing.
    public init() {}

    /// Whether every item was saved as the last commit left it, and all that is known of the types.
    public var isComplete: Bool {
        !mayLackChanges && isCatalogComplete && remaining.isEmpty
            && types.allSatisfy { $0.lost == 0 && $0.lostIDs.isEmpty && $0.uncertain == 0 }
    }
}
