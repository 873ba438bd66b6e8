import JustPersist

/// One of very many items, so many that an index over them is built in the background.
final class Grain: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Grain",
        attributes: [
            AttributeSchema("heap", kinds: [.int], keyPath: \Grain.heap),
            AttributeSchema("number", kinds: [.int], keyPath: \Grain.number),
        ])
    /// The index that comes and goes.
    static let index = IndexSchema(["heap"])
    static let schemaWithIndex = ItemSchema(
        "Grain", attributes: [AttributeSchema("heap"), AttributeSchema("number")],
        indexes: [index])

    static let heaps = 0..<20
    /// In each heap, whatever moves between them.
    static let perHeap = 550

    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }

    var heap: Int {
        get { attribute(at: 0, default: -1) }
        set { setAttribute(newValue, at: 0) }
    }
    var number: Int {
        get { attribute(at: 1, default: -1) }
        set { setAttribute(newValue, at: 1) }
    }
}
