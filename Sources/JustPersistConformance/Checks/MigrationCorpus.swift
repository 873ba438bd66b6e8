import JustPersist

/// Items of several types with values of every kind that a store declares, for migrations.
struct MigrationCorpus {
    static let types = ["MigrationA", "MigrationAB", "Migration\u{e9}", "MigrationC"]
    static let attributes = ["name", "number", "é", "list"]

    let values: ModelValues
    /// The number of items of each type.
    let count: Int

    init(_ capabilities: DataStoreCapabilities, count: Int) {
        values = ModelValues(kinds: capabilities.valueKinds)
        self.count = count
    }

    /// Fills a store, in one block for each type.
    ///
    /// Some attributes are set and then cleared.
    func fill(_ store: any DataStore, using random: inout SeededGenerator) throws {
        for type in Self.types {
            var rows: [[DataStoreValue]] = []
            for _ in 0..<count {
                rows.append(Self.attributes.map { _ in values.value(using: &random) })
            }
            let schema = ItemSchema(
                type, attributes: (Self.attributes + ["cleared"]).map { AttributeSchema($0) })
            try store.write { [rows] db in
                try db.declare(schema)
                for row in rows {
                    let item = try db.create(type)
                    for (name, value) in zip(Self.attributes, row) { item[name] = value }
                    item["cleared"] = .string("once")
                    item["cleared"] = .null
                }
            }
        }
    }

    func dump(_ store: any DataStore) throws -> StoreDump {
        try StoreDump(of: store, typeKeys: Self.types)
    }
}
