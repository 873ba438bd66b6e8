import JustPersist

/// The values of items to write.
struct ExportColumns {
    /// The names of the attributes, or the paths that were requested.
    let names: [String]
    private let arePaths: Bool
    private let places: [String: Int]
    /// For each column, whether null is written, because an item without a stored value would have another value.
    let isNullWritten: [Bool]

    init(_ schema: ItemSchema?, attributes: [String]?) {
        let known = schema?.attributes ?? []
        names = attributes ?? known.map(\.name)
        arePaths = attributes != nil
        places = Dictionary(
            names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let withDefault = Set(known.filter { $0.defaultValue != nil }.map(\.name))
        isNullWritten = names.map(withDefault.contains)
    }

    /// The value of each column.
    func values(of item: any DataStoreItem) throws(DataStoreError) -> [DataStoreValue] {
        var values: [DataStoreValue] = []
        values.reserveCapacity(names.count)
        if arePaths {
            for name in names { values.append(try item.storedValue(forKeyPath: name)) }
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
        return values
    }
}
