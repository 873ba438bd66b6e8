import JustPersist

/// The last entry of a writer who numbers its entries.
final class Journal: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Journal",
        attributes: [
            AttributeSchema("writer", kinds: [.int], isUnique: true, keyPath: \Journal.writer),
            AttributeSchema("last", kinds: [.int], keyPath: \Journal.last),
        ])

    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }

    var writer: Int {
        get { attribute(at: 0, default: -1) }
        set { setAttribute(newValue, at: 0) }
    }
    var last: Int {
        get { attribute(at: 1, default: 0) }
        set { setAttribute(newValue, at: 1) }
    }
}
