import JustPersist

@testable import JustPersistConformance

/// The steps of a store: a closure for each call, of which a sabotage replaces some.
struct Faults: Sendable {
    // MARK: Requests of a block

    var fetch: @Sendable (DataStoreRequest, ReferenceBlock) throws -> [any DataStoreItem] = {
        try ReferenceReadAccessor($1).performFetch($0)
    }
    var count: @Sendable (DataStoreRequest, ReferenceBlock) throws -> Int = {
        try ReferenceReadAccessor($1).performCount($0)
    }
    var forEach:
        @Sendable (DataStoreRequest, ReferenceBlock, (any DataStoreItem) throws -> Void) throws ->
            Void = { try ReferenceReadAccessor($1).performForEach($0, $2) }
    var scan:
        @Sendable (DataStoreRequest, ReferenceBlock, (any DataStoreItem) -> Void) throws -> Void = {
            try ReferenceReadAccessor($1).performScan($0, $2)
        }
    var aggregate:
        @Sendable (DataStoreRequest, DataStoreAggregation, ReferenceBlock) throws ->
            [DataStoreRow] = { try ReferenceReadAccessor($2).performAggregate($0, $1) }
    var explain:
        @Sendable (QueryPlan.Operation, DataStoreRequest, ReferenceBlock) throws -> QueryPlan = {
            try ReferenceReadAccessor($2).performExplain($0, $1)
        }
    var token: @Sendable (ReferenceBlock) throws -> ChangeToken = {
        try ReferenceReadAccessor($0).performChangeToken()
    }
    var schemas: @Sendable (ReferenceBlock) throws -> [ItemSchema] = {
        try ReferenceReadAccessor($0).schemas()
    }

    // MARK: Changes of a block

    var dropIndex: @Sendable (IndexSchema, String, ReferenceBlock) throws -> Bool = {
        try ReferenceWriteAccessor($2).dropIndex($0, ofType: $1)
    }

    var schemaChange: @Sendable (SchemaOperation, ReferenceBlock) throws -> Bool = {
        try ReferenceWriteAccessor($1).performSchemaChange($0)
    }

    var delete: @Sendable (any DataStoreItem, ReferenceBlock) throws -> Bool = {
        try ReferenceWriteAccessor($1).performDelete($0)
    }
    /// What a block knows of its relationships.
    var links: @Sendable (ReferenceBlock) -> BlockLinks? = { $0.links }

    /// Is given the name of each primitive of the accessors that is called.
    var called: @Sendable (String) -> Void = { _ in }

    // MARK: The store

    var declareCapabilities: @Sendable (inout DataStoreCapabilities) -> Void = { _ in }
    var threading = DataStoreThreading.callingThread
    /// Whether it hands read blocks to the main queue, and waits.
    var waitsForMainQueue = false
    var buildIndexes: @Sendable (any DataStore, (IndexProgress) throws -> Void) throws -> Void = {
        _, _ in
    }
    var observe: @Sendable (any ChangeObservation) -> any ChangeObservation = { $0 }
    /// What a change log gives out of the commits that it holds.
    var logged: @Sendable ([CommittedChanges]) -> [CommittedChanges] = { $0 }
    /// Whether damage keeps it from being opened.
    var noticesDamage = true
    /// The state that it writes as a backup.
    enum Backup { case right, live, incomplete, moving }
    var backup = Backup.right
    /// The changes of a compaction.
    var compact: @Sendable (inout ReferenceState) -> Void = { _ in }
    /// How many syncs there were after so many commits.
    var syncs: @Sendable (Int) -> Int = { $0 }
    /// The steps of the reference store.
    var rules: @Sendable (inout ReferenceRules, Memory) -> Void = { _, _ in }

    /// The request and the block that a way to carry a request out is given in place of its own.
    typealias Question = (request: DataStoreRequest, block: ReferenceBlock)

    /// Lets a way ask something else, or go about it in another manner.
    mutating func change(
        _ way: Way,
        _ ask: @escaping @Sendable (Question, (Question) throws -> Void) throws -> Void
    ) {
        /// The answer that comes of the question that is asked in place of this one.
        @Sendable func asked<Answer>(
            _ request: DataStoreRequest, _ block: ReferenceBlock,
            _ answer: (Question) throws -> Answer
        ) throws -> Answer {
            var given: Answer?
            try ask((request, block)) { given = try answer($0) }
            guard let given else {
                throw DataStoreError(.storageFailure, in: "sabotage", "Nothing was asked.")
            }
            return given
        }
        switch way {
        case .fetch:
            fetch = { [fetch] in try asked($0, $1) { try fetch($0.request, $0.block) } }
        case .count:
            count = { [count] in try asked($0, $1) { try count($0.request, $0.block) } }
        case .forEach:
            forEach = { [forEach] request, block, body in
                try asked(request, block) { try forEach($0.request, $0.block, body) }
            }
        case .scan:
            scan = { [scan] request, block, body in
                try asked(request, block) { try scan($0.request, $0.block, body) }
            }
        case .aggregate:
            aggregate = { [aggregate] request, aggregation, block in
                try asked(request, block) { try aggregate($0.request, aggregation, $0.block) }
            }
        case .explain:
            explain = { [explain] operation, request, block in
                try asked(request, block) { try explain(operation, $0.request, $0.block) }
            }
        }
    }
}

/// The accessor of a block with faults, for reading and for writing.
struct FaultyAccessor: DataStoreReadWriteAccessor, ~Copyable {
    private let block: ReferenceBlock
    private let faults: Faults
    private let writing: ReferenceWriteAccessor

    init(_ block: ReferenceBlock, _ faults: Faults) {
        self.block = block
        self.faults = faults
        writing = ReferenceWriteAccessor(block)
    }

    func performFetch(_ request: DataStoreRequest) throws(DataStoreError) -> [any DataStoreItem] {
        faults.called("performFetch")
        return try typed { try faults.fetch(request, block) }
    }

    func performCount(_ request: DataStoreRequest) throws(DataStoreError) -> Int {
        faults.called("performCount")
        return try typed { try faults.count(request, block) }
    }

    func performFetchItem(
        _ type: ItemType, id: ItemID
    ) throws(DataStoreError) -> (any DataStoreItem)? {
        faults.called("performFetchItem")
        return try writing.performFetchItem(type, id: id)
    }

    func performForEach(
        _ request: DataStoreRequest, _ body: (any DataStoreItem) throws -> Void
    ) throws {
        faults.called("performForEach")
        try faults.forEach(request, block, body)
    }

    func performScan(
        _ request: DataStoreRequest, _ body: (any DataStoreItem) -> Void
    ) throws(DataStoreError) {
        faults.called("performScan")
        try typed { try faults.scan(request, block, body) }
    }

    func performAggregate(
        _ request: DataStoreRequest, _ aggregation: DataStoreAggregation
    ) throws(DataStoreError) -> [DataStoreRow] {
        faults.called("performAggregate")
        return try typed { try faults.aggregate(request, aggregation, block) }
    }

    func performExplain(
        _ operation: QueryPlan.Operation, _ request: DataStoreRequest
    ) throws(DataStoreError) -> QueryPlan {
        faults.called("performExplain")
        return try typed { try faults.explain(operation, request, block) }
    }

    func performChangeToken() throws(DataStoreError) -> ChangeToken {
        faults.called("performChangeToken")
        return try typed { try faults.token(block) }
    }

    func schemas() throws(DataStoreError) -> [ItemSchema] {
        faults.called("schemas")
        return try typed { try faults.schemas(block) }
    }

    func schemasWithRelationships() throws(DataStoreError) -> [ItemSchema] {
        faults.called("schemasWithRelationships")
        return try schemas().filter { !$0.relationships.isEmpty }
    }

    func isDeclared(_ type: ItemType) throws(DataStoreError) -> Bool {
        faults.called("isDeclared")
        return try writing.isDeclared(type)
    }

    var links: BlockLinks? {
        faults.called("links")
        return faults.links(block)
    }

    func report(_ error: DataStoreError) { writing.report(error) }

    func performCreate(_ type: ItemType) throws(DataStoreError) -> any MutableDataStoreItem {
        faults.called("performCreate")
        return try writing.performCreate(type)
    }

    func performInsert(_ item: any MutableDataStoreItem) throws(DataStoreError) -> Bool {
        faults.called("performInsert")
        return try writing.performInsert(item)
    }

    func performDelete(_ item: any DataStoreItem) throws(DataStoreError) -> Bool {
        faults.called("performDelete")
        return try typed { try faults.delete(item, block) }
    }

    func performDeleteAll(_ types: [ItemType]) throws(DataStoreError) {
        faults.called("performDeleteAll")
        try writing.performDeleteAll(types)
    }

    func performMutableVersion(
        of item: any DataStoreItem
    ) throws(DataStoreError) -> (any MutableDataStoreItem)? {
        faults.called("performMutableVersion")
        return try writing.performMutableVersion(of: item)
    }

    func declare(_ schema: ItemSchema) throws(DataStoreError) {
        faults.called("declare")
        try writing.declare(schema)
    }

    func dropIndex(
        _ index: IndexSchema, ofType itemTypeKey: String
    ) throws(DataStoreError) -> Bool {
        faults.called("dropIndex")
        return try typed { try faults.dropIndex(index, itemTypeKey, block) }
    }

    func performSchemaChange(_ operation: SchemaOperation) throws(DataStoreError) -> Bool {
        faults.called("performSchemaChange")
        return try typed { try faults.schemaChange(operation, block) }
    }
}

/// Faults throw only what stores throw.
private func typed<Value>(_ body: () throws -> Value) throws(DataStoreError) -> Value {
    do {
        return try body()
    } catch let error as DataStoreError {
        throw error
    } catch {
        throw DataStoreError(.storageFailure, in: "sabotage", "\(error)")
    }
}
