import JustPersist

/// A page that a child store and its parent change at the same time.
final class Page: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Page",
        attributes: [
            AttributeSchema("number", kinds: [.int], isUnique: true, keyPath: \Page.number),
            AttributeSchema("left", kinds: [.int], keyPath: \Page.left),
            AttributeSchema("right", kinds: [.int], isIndexed: true, keyPath: \Page.right),
            AttributeSchema("contested", kinds: [.int], keyPath: \Page.contested),
        ])

    static let numbers = 0..<4

    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }

    var number: Int {
        get { attribute(at: 0, default: -1) }
        set { setAttribute(newValue, at: 0) }
    }
    /// Changed in child stores only.
    var left: Int {
        get { attribute(at: 1, default: 0) }
        set { setAttribute(newValue, at: 1) }
    }
    /// Changed in the store itself only, where it grows.
    var right: Int {
        get { attribute(at: 2, default: 0) }
        set { setAttribute(newValue, at: 2) }
    }
    /// Changed in both.
    var contested: Int {
        get { attribute(at: 3, default: 0) }
        set { setAttribute(newValue, at: 3) }
    }
}
