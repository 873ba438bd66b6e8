import JustPersist

/// The entry that each block makes for itself, so that a store tells which blocks are in it.
final class LedgerEntry: MutableDataStoreItem {
    static let schema = ItemSchema(
        "LedgerEntry",
        attributes: [
            AttributeSchema("writer", kinds: [.int], keyPath: \LedgerEntry.writer),
            AttributeSchema("block", kinds: [.int], keyPath: \LedgerEntry.block),
        ])

    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }

    var writer: Int {
        get { attribute(at: 0, default: -1) }
        set { setAttribute(newValue, at: 0) }
    }
    var block: Int {
        get { attribute(at: 1, default: -1) }
        set { setAttribute(newValue, at: 1) }
    }
}
