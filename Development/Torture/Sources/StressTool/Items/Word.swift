import JustPersist

/// A word, which is there once at most, and how often it was used.
final class Word: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Word",
        attributes: [
            AttributeSchema("text", kinds: [.string], isUnique: true, keyPath: \Word.text),
            AttributeSchema("uses", kinds: [.int], keyPath: \Word.uses),
            AttributeSchema("stamp", kinds: [.int]),
        ])

    /// How many words there are.
    static let most = 120

    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }

    var text: String {
        get { attribute(at: 0, default: "") }
        set { setAttribute(newValue, at: 0) }
    }
    /// Each change has a stamp of its own, as with accounts.
    var uses: Int {
        get { attribute(at: 1, default: 0) }
        set {
            setAttribute(newValue, at: 1)
            setAttribute(Int.random(in: 0...Int.max), at: 2)
        }
    }
}
