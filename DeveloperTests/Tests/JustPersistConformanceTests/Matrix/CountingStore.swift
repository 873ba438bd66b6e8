import Foundation

@testable import JustPersist
@testable import JustPersistConformance

/// A store without a fault that counts the calls of each primitive, over all stores of the process; what it
/// holds outlives it.
final class CountingStore: BlockMutant, Fault, @unchecked Sendable {
    /// The calls so far, by the primitive's name.
    static let calls = Locked<[String: Int]>([:])
    private static let disk = Locked<[URL: ReferenceState]>([:])

    private static func count(_ primitive: String) {
        calls.withLock { $0[primitive, default: 0] += 1 }
    }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        @Sendable func directory() -> URL { memory.directory.withLock { $0 } ?? URL(filePath: "/") }
        rules.opened = { () throws(DataStoreError) in
            disk.withLock { $0[directory()] } ?? ReferenceState()
        }
        rules.published = { _, after in disk.withLock { $0[directory()] = after } }
        return rules
    }

    override var capabilities: DataStoreCapabilities {
        var capabilities = super.capabilities
        capabilities.persistence = .reopening
        return capabilities
    }

    // MARK: Primitives of stores

    override func open() throws {
        Self.count("open")
        try super.open()
    }

    override func close() throws {
        Self.count("close")
        try super.close()
    }

    override func destroy() throws {
        Self.count("destroy")
        try super.destroy()
        Self.disk.withLock { $0[directory] = nil }
    }

    override func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        Self.count("performRead")
        try super.performRead(block)
    }

    override func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        Self.count("performWrite")
        // The primitive of items has no hook: what a block may change, it may set.
        Self.count("set")
        try super.performWrite(block)
    }

    override func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        Self.count("enqueueWrite")
        super.enqueueWrite(block, completion: completion)
    }

    override func makeChild() throws -> any DataStore {
        Self.count("makeChild")
        return try super.makeChild()
    }

    override func performMerge(
        _ child: any DataStore, policy: MergePolicy
    ) throws -> MergeReport {
        Self.count("performMerge")
        return try super.performMerge(child, policy: policy)
    }

    override func verify() throws -> VerificationReport {
        Self.count("verify")
        return try super.verify()
    }

    // MARK: Primitives of accessors

    override class func fetch(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> [any DataStoreItem] {
        count("performFetch")
        return try super.fetch(request, in: block, memory)
    }

    override class func count(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> Int {
        count("performCount")
        return try super.count(request, in: block, memory)
    }

    override class func fetchItem(
        _ type: ItemType, _ id: ItemID, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> (any DataStoreItem)? {
        count("performFetchItem")
        return try super.fetchItem(type, id, in: block, memory)
    }

    override class func forEach(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory,
        _ body: (any DataStoreItem) throws -> Void
    ) throws {
        count("performForEach")
        try super.forEach(request, in: block, memory, body)
    }

    override class func schemas(
        in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> [ItemSchema] {
        count("schemas")
        return try super.schemas(in: block, memory)
    }

    override class func create(
        _ type: ItemType, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> any MutableDataStoreItem {
        count("performCreate")
        return try super.create(type, in: block, memory)
    }

    override class func insert(
        _ item: any MutableDataStoreItem, to block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> Bool {
        count("performInsert")
        return try super.insert(item, to: block, memory)
    }

    override class func delete(
        _ item: any DataStoreItem, from block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> Bool {
        count("performDelete")
        return try super.delete(item, from: block, memory)
    }

    override class func deleteAll(
        _ types: [ItemType], from block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) {
        count("performDeleteAll")
        try super.deleteAll(types, from: block, memory)
    }

    override class func mutableVersion(
        _ item: any DataStoreItem, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> (any MutableDataStoreItem)? {
        count("performMutableVersion")
        return try super.mutableVersion(item, in: block, memory)
    }

    override class func declare(
        _ schema: ItemSchema, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) {
        count("declare")
        try super.declare(schema, in: block, memory)
    }
}
