import JustPersist

/// The values of items to write.
struct ExportColumns {
    /// The names of the attributes, or the paths that were requested.
    let names: [String]
    private let arePaths: Bool
    private let shape: ExportShape
    /// The places of relationships among the columns.
    private let related: [Int]
    private let places: [String: Int]
    /// For each column, whether null is written, because an item without a stored value would have another value.
    let isNullWritten: [Bool]

    /// The attributes and the relationships that are named, or all that are needed to import the items again.
    ///
    /// - Parameter hasIDs: Whether each row has the item's id. References to many others are of use only then.
    init(
        _ schema: ItemSchema?, attributes: [String]?, _ shape: ExportShape, withIDs hasIDs: Bool
    ) {
        let known = schema?.attributes ?? []
        var names = attributes ?? known.map(\.name)
        if attributes == nil, hasIDs { names += shape.kept }
        for name in shape.nested.keys.sorted() where !names.contains(name) { names.append(name) }
        self.names = names
        self.shape = shape
        related = names.indices.filter { shape.relations[names[$0]] != nil }
        arePaths = attributes != nil
        places = Dictionary(
            names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let withDefault = Set(known.filter { $0.defaultValue != nil }.map(\.name))
        isNullWritten = names.map(withDefault.contains)
    }

    /// The value of each column.
    func values(
        of item: any DataStoreItem, in db: borrowing some DataStoreReadAccessor & ~Copyable
    ) throws(DataStoreError) -> [DataStoreValue] {
        var values: [DataStoreValue] = []
        values.reserveCapacity(names.count)
        if arePaths {
            for name in names {
                if let value = try shape.value(name, of: item, in: db) {
                    values.append(value)
                } else {
                    values.append(try item.storedValue(forKeyPath: name))
                }
            }
            return values
        }
        // Usually they are in the order of the columns.
        var isInOrder = true
        try item.backing.forEachValue { (name, value) throws(DataStoreError) in
            if isInOrder, values.count < names.count, names[values.count] == name {
                values.append(value)
                return
            }
            isInOrder = false
            while values.count < names.count { values.append(.null) }
            if let place = places[name] { values[place] = value }
        }
        while values.count < names.count { values.append(.null) }
        for place in related {
            let name = names[place]
            // A reference that is null needs no look-up.
            if values[place].isNull, shape.relations[name]?.schema.isToMany == false { continue }
            values[place] = try shape.value(name, of: item, in: db) ?? .null
        }
        return values
    }
}
