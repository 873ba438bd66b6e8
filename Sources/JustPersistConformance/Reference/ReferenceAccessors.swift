package import JustPersist

/// The accessor of a read block.
package struct ReferenceReadAccessor: DataStoreReadAccessor, ~Copyable {
    private let block: ReferenceBlock

    /// An accessor of a block.
    package init(_ block: ReferenceBlock) { self.block = block }

    package func fetch(
        _ request: DataStoreRequest
    ) throws(DataStoreError) -> [any DataStoreItem] {
        try block.check("fetch")
        var items: [any DataStoreItem] = []
        for row in try block.context.rules.rows(request, block.state) {
            items.append(try block.item(row, as: request.type))
        }
        return items
    }

    package func count(_ request: DataStoreRequest) throws(DataStoreError) -> Int {
        try block.check("count")
        return try block.context.rules.count(request, block.state)
    }

    package func fetchItem(
        _ type: ItemType, id: ItemID
    ) throws(DataStoreError) -> (any DataStoreItem)? {
        try block.check("fetch")
        return try block.item(type, id)
    }

    package func forEach(
        _ request: DataStoreRequest, _ body: (any DataStoreItem) throws -> Void
    ) throws {
        try block.check("fetch")
        for row in try block.context.rules.rows(request, block.state) {
            // It may have been changed or deleted since.
            guard let current = block.state.row(row.key) else { continue }
            try body(try block.item(current, as: request.type))
        }
    }

    package func schemas() throws(DataStoreError) -> [ItemSchema] {
        try block.check("schemas")
        return block.state.types.map(\.schema).sorted { $0.itemTypeKey < $1.itemTypeKey }
    }

    package func report(_ error: DataStoreError) { block.report(error) }
}

/// The accessor of a write block.
package struct ReferenceWriteAccessor: DataStoreReadWriteAccessor, ~Copyable {
    private let block: ReferenceBlock
    private let reading: ReferenceReadAccessor

    /// An accessor of a block.
    package init(_ block: ReferenceBlock) {
        self.block = block
        reading = ReferenceReadAccessor(block)
    }

    package func fetch(
        _ request: DataStoreRequest
    ) throws(DataStoreError) -> [any DataStoreItem] {
        try reading.fetch(request)
    }

    package func count(_ request: DataStoreRequest) throws(DataStoreError) -> Int {
        try reading.count(request)
    }

    package func fetchItem(
        _ type: ItemType, id: ItemID
    ) throws(DataStoreError) -> (any DataStoreItem)? {
        try reading.fetchItem(type, id: id)
    }

    package func forEach(
        _ request: DataStoreRequest, _ body: (any DataStoreItem) throws -> Void
    ) throws {
        try reading.forEach(request, body)
    }

    package func schemas() throws(DataStoreError) -> [ItemSchema] { try reading.schemas() }

    package func report(_ error: DataStoreError) { reading.report(error) }

    package func make(_ type: ItemType) throws(DataStoreError) -> any MutableDataStoreItem {
        try block.check("create")
        return try block.make(type)
    }

    package func add(_ item: any MutableDataStoreItem) throws(DataStoreError) -> Bool {
        try block.check("insert")
        return try block.add(item)
    }

    package func remove(_ item: any DataStoreItem) throws(DataStoreError) -> Bool {
        try block.check("delete")
        return try block.remove(item)
    }

    package func removeAll(_ types: [ItemType]) throws(DataStoreError) {
        try block.check("deleteAll")
        for type in types { try block.removeAll(type) }
    }

    package func thaw(
        _ item: any DataStoreItem
    ) throws(DataStoreError) -> (any MutableDataStoreItem)? {
        try block.check("mutableVersion")
        return try block.thaw(item)
    }

    package func declare(_ schema: ItemSchema) throws(DataStoreError) {
        try block.check("declare")
        try block.declare(schema)
    }
}
