import JustPersist

extension Corpus {
    /// Creates items, by default sixty.
    ///
    /// They have an attribute for each kind that the store declares, one for values of all kinds, one for small numbers
    /// with many equal values, and one for references to other items. For each attribute, some items have nil, and some
    /// have no value.
    static func mixed(
        _ check: CheckContext, in store: any DataStore, size: Int = 60,
        indexes: [IndexSchema] = []
    ) throws -> Corpus {
        var random = check.generator("corpus")
        let samples = SampleValues(check.capabilities)
        var rows = [[String: DataStoreValue]](repeating: [:], count: size)
        func fill(_ attribute: String, _ values: [DataStoreValue]) {
            let order = random.shuffled(Array(rows.indices))
            let pool = [.null] + random.shuffled(values)
            // Every eleventh item has no value. The others have all of the values, if there are enough items.
            for (place, index) in order.enumerated() where place % 11 != 0 {
                rows[index][attribute] = pool[(place - place / 11) % pool.count]
            }
        }
        for kind in samples.sortedKinds {
            fill(attribute(for: kind), samples.all(kind))
        }
        fill(anything, samples.all)
        if samples.kinds.contains(.int) { fill(group, (0..<4).map { .int($0) }) }
        var corpus = try Corpus(rows, attributes: [link], indexes: indexes, in: store)
        guard samples.kinds.contains(.reference) else { return corpus }
        let targets = random.shuffled(Array(rows.indices)).prefix(20)
        try corpus.set(
            targets.map { index in
                let target = ItemReference(
                    itemTypeKey: corpus.type, id: corpus.ids[(index * 7 + 1) % size])
                return (index, [link: .reference(target)])
            })
        return corpus
    }

    /// The attribute with values of all kinds.
    static let anything = "anything"
    /// The attribute with few different integers.
    static let group = "group"
    /// The attribute with references to other items.
    static let link = "link"

    /// The attribute with values of a kind.
    static func attribute(for kind: DataStoreValue.Kind) -> String { "\(kind)Value" }

    /// The attributes that have values.
    var attributes: [String] { Set(state.rows.flatMap(\.values.keys)).sorted() }
}
