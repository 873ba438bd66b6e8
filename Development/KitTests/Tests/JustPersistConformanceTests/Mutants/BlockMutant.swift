import JustPersist

@testable import JustPersistConformance

/// A store whose blocks carry out one call wrongly.
class BlockMutant: SabotagedStore, @unchecked Sendable {
    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.reader = { block in FaultyReader(block, of: self, memory) }
        rules.writer = { block in FaultyWriter(block, of: self, memory) }
        return rules
    }

    class func fetch(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> [any DataStoreItem] {
        try ReferenceReadAccessor(block).performFetch(request)
    }

    class func count(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> Int {
        try ReferenceReadAccessor(block).performCount(request)
    }

    class func fetchItem(
        _ type: ItemType, _ id: ItemID, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> (any DataStoreItem)? {
        try ReferenceReadAccessor(block).performFetchItem(type, id: id)
    }

    class func forEach(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory,
        _ body: (any DataStoreItem) throws -> Void
    ) throws {
        try ReferenceReadAccessor(block).performForEach(request, body)
    }

    class func schemas(
        in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> [ItemSchema] {
        try ReferenceReadAccessor(block).schemas()
    }

    class func declare(
        _ schema: ItemSchema, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) {
        try ReferenceWriteAccessor(block).declare(schema)
    }

    class func create(
        _ type: ItemType, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> any MutableDataStoreItem {
        try ReferenceWriteAccessor(block).performCreate(type)
    }

    class func insert(
        _ item: any MutableDataStoreItem, to block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> Bool {
        try ReferenceWriteAccessor(block).performInsert(item)
    }

    class func delete(
        _ item: any DataStoreItem, from block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> Bool {
        try ReferenceWriteAccessor(block).performDelete(item)
    }

    class func deleteAll(
        _ types: [ItemType], from block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) {
        try ReferenceWriteAccessor(block).performDeleteAll(types)
    }

    class func mutableVersion(
        _ item: any DataStoreItem, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> (any MutableDataStoreItem)? {
        try ReferenceWriteAccessor(block).performMutableVersion(of: item)
    }

    /// The result of a request on the latest commit, whatever the block sees.
    static func fetchCommitted(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> [any DataStoreItem] {
        var items: [any DataStoreItem] = []
        for row in try block.context.rules.rows(request, memory.committed) {
            items.append(try block.item(row, as: request.type))
        }
        return items
    }
}

/// The accessor of a read block that asks a faulty store.
private struct FaultyReader: DataStoreReadAccessor, ~Copyable {
    private let block: ReferenceBlock
    private let store: BlockMutant.Type
    private let memory: Memory
    private let reading: ReferenceReadAccessor

    init(_ block: ReferenceBlock, of store: BlockMutant.Type, _ memory: Memory) {
        self.block = block
        self.store = store
        self.memory = memory
        reading = ReferenceReadAccessor(block)
    }

    func performFetch(_ request: DataStoreRequest) throws(DataStoreError) -> [any DataStoreItem] {
        try store.fetch(request, in: block, memory)
    }

    func performCount(_ request: DataStoreRequest) throws(DataStoreError) -> Int {
        try store.count(request, in: block, memory)
    }

    func performFetchItem(_ type: ItemType, id: ItemID) throws(DataStoreError) -> (
        any DataStoreItem
    )? {
        try store.fetchItem(type, id, in: block, memory)
    }

    func performForEach(
        _ request: DataStoreRequest, _ body: (any DataStoreItem) throws -> Void
    ) throws {
        try store.forEach(request, in: block, memory, body)
    }

    func schemas() throws(DataStoreError) -> [ItemSchema] {
        try store.schemas(in: block, memory)
    }

    func report(_ error: DataStoreError) { reading.report(error) }
}

/// The accessor of a write block that asks a faulty store.
private struct FaultyWriter: DataStoreReadWriteAccessor, ~Copyable {
    private let block: ReferenceBlock
    private let store: BlockMutant.Type
    private let memory: Memory
    private let reading: FaultyReader

    init(_ block: ReferenceBlock, of store: BlockMutant.Type, _ memory: Memory) {
        self.block = block
        self.store = store
        self.memory = memory
        reading = FaultyReader(block, of: store, memory)
    }

    func performFetch(_ request: DataStoreRequest) throws(DataStoreError) -> [any DataStoreItem] {
        try reading.performFetch(request)
    }

    func performCount(_ request: DataStoreRequest) throws(DataStoreError) -> Int {
        try reading.performCount(request)
    }

    func performFetchItem(_ type: ItemType, id: ItemID) throws(DataStoreError) -> (
        any DataStoreItem
    )? {
        try reading.performFetchItem(type, id: id)
    }

    func performForEach(
        _ request: DataStoreRequest, _ body: (any DataStoreItem) throws -> Void
    ) throws {
        try store.forEach(request, in: block, memory, body)
    }

    func schemas() throws(DataStoreError) -> [ItemSchema] {
        try store.schemas(in: block, memory)
    }

    func report(_ error: DataStoreError) { reading.report(error) }

    var links: BlockLinks? { block.links }

    func performCreate(_ type: ItemType) throws(DataStoreError) -> any MutableDataStoreItem {
        try store.create(type, in: block, memory)
    }

    func performInsert(_ item: any MutableDataStoreItem) throws(DataStoreError) -> Bool {
        try store.insert(item, to: block, memory)
    }

    func performDelete(_ item: any DataStoreItem) throws(DataStoreError) -> Bool {
        try store.delete(item, from: block, memory)
    }

    func performDeleteAll(_ types: [ItemType]) throws(DataStoreError) {
        try store.deleteAll(types, from: block, memory)
    }

    func performMutableVersion(of item: any DataStoreItem) throws(DataStoreError) -> (
        any MutableDataStoreItem
    )? {
        try store.mutableVersion(item, in: block, memory)
    }

    func declare(_ schema: ItemSchema) throws(DataStoreError) {
        try store.declare(schema, in: block, memory)
    }
}
