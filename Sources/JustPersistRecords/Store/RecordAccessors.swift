import JustPersist

/// The accessor of a read block.
struct RecordReadAccessor: DataStoreReadAccessor, ~Copyable {
    private let block: Block

    init(_ block: Block) { self.block = block }

    func performFetch(_ request: DataStoreRequest) throws(DataStoreError) -> [any DataStoreItem] {
        try block.logged(request, .fetch, \.count) { () throws(DataStoreError) in
            try block.fetch(request)
        }
    }

    func performCount(_ request: DataStoreRequest) throws(DataStoreError) -> Int {
        try block.logged(request, .count, { $0 }) { () throws(DataStoreError) in
            try block.count(request)
        }
    }

    func performFetchItem(_ type: ItemType, id: ItemID) throws(DataStoreError) -> (
        any DataStoreItem
    )? {
        try block.fetchItem(type, id: id)
    }

    func performForEach(
        _ request: DataStoreRequest, _ body: (any DataStoreItem) throws -> Void
    ) throws {
        try request.withinDeadline { try block.forEach(request, body) }
    }

    func performScan(
        _ request: DataStoreRequest, _ body: (any DataStoreItem) -> Void
    ) throws(DataStoreError) {
        try request.withinDeadline { () throws(DataStoreError) in try block.scan(request, body) }
    }

    func performAggregate(
        _ request: DataStoreRequest, _ aggregation: DataStoreAggregation
    ) throws(DataStoreError) -> [DataStoreRow] {
        try block.logged(request, .aggregate(aggregation), \.count, aggregation) {
            () throws(DataStoreError) in
            try block.aggregate(request, aggregation)
        }
    }

    func performExplain(
        _ operation: QueryPlan.Operation, _ request: DataStoreRequest
    ) throws(DataStoreError) -> QueryPlan {
        try request.withinDeadline { () throws(DataStoreError) in
            try block.explain(operation, request)
        }
    }

    func performChangeToken() throws(DataStoreError) -> ChangeToken { try block.changeToken() }

    func schemas() throws(DataStoreError) -> [ItemSchema] { try block.schemas() }

    func isDeclared(_ type: ItemType) throws(DataStoreError) -> Bool {
        try block.checkOpen("isDeclared")
        return try block.isDeclared(type)
    }

    func schemasWithRelationships() throws(DataStoreError) -> [ItemSchema] {
        try block.checkOpen("relationship")
        return block.known.catalog.schemasWithRelationships
    }

    func report(_ error: DataStoreError) { block.context.report(error) }
}

/// The accessor of a write block.
struct RecordWriteAccessor: DataStoreReadWriteAccessor, ~Copyable {
    private let block: WriteBlock

    init(_ block: WriteBlock) { self.block = block }

    func performFetch(_ request: DataStoreRequest) throws(DataStoreError) -> [any DataStoreItem] {
        try noting { () throws(DataStoreError) in
            try block.logged(request, .fetch, \.count) { () throws(DataStoreError) in
                try block.fetch(request)
            }
        }
    }

    func performCount(_ request: DataStoreRequest) throws(DataStoreError) -> Int {
        try noting { () throws(DataStoreError) in
            try block.logged(request, .count, { $0 }) { () throws(DataStoreError) in
                try block.count(request)
            }
        }
    }

    func performFetchItem(_ type: ItemType, id: ItemID) throws(DataStoreError) -> (
        any DataStoreItem
    )? {
        try noting { () throws(DataStoreError) in try block.fetchItem(type, id: id) }
    }

    func performForEach(
        _ request: DataStoreRequest, _ body: (any DataStoreItem) throws -> Void
    ) throws {
        var isOfBody = false
        do {
            try request.withinDeadline {
                try block.forEach(request) { item in
                    isOfBody = true
                    try body(item)
                    isOfBody = false
                }
            }
        } catch {
            // The error of `body` may come from another store.
            if !isOfBody, let error = error as? DataStoreError { block.note(error) }
            throw error
        }
    }

    func performScan(
        _ request: DataStoreRequest, _ body: (any DataStoreItem) -> Void
    ) throws(DataStoreError) {
        try noting { () throws(DataStoreError) in
            try request.withinDeadline { () throws(DataStoreError) in
                try block.scan(request, body)
            }
        }
    }

    func performAggregate(
        _ request: DataStoreRequest, _ aggregation: DataStoreAggregation
    ) throws(DataStoreError) -> [DataStoreRow] {
        try noting { () throws(DataStoreError) in
            try block.logged(request, .aggregate(aggregation), \.count, aggregation) {
                () throws(DataStoreError) in
                try block.aggregate(request, aggregation)
            }
        }
    }

    func performExplain(
        _ operation: QueryPlan.Operation, _ request: DataStoreRequest
    ) throws(DataStoreError) -> QueryPlan {
        try noting { () throws(DataStoreError) in
            try request.withinDeadline { () throws(DataStoreError) in
                try block.explain(operation, request)
            }
        }
    }

    func performChangeToken() throws(DataStoreError) -> ChangeToken { try block.changeToken() }

    func schemas() throws(DataStoreError) -> [ItemSchema] {
        try noting { () throws(DataStoreError) in try block.schemas() }
    }

    func isDeclared(_ type: ItemType) throws(DataStoreError) -> Bool {
        try block.checkOpen("isDeclared")
        return try noting { () throws(DataStoreError) in try block.isDeclared(type) }
    }

    func schemasWithRelationships() throws(DataStoreError) -> [ItemSchema] {
        try block.checkOpen("relationship")
        return block.known.catalog.schemasWithRelationships
    }

    var links: BlockLinks? { block.links }

    func report(_ error: DataStoreError) { block.report(error) }

    /// Runs a call of the block.
    ///
    /// After a storage error, the whole block fails.
    private func noting<Value>(
        _ body: () throws(DataStoreError) -> Value
    ) throws(DataStoreError) -> Value {
        do throws(DataStoreError) {
            return try body()
        } catch {
            block.note(error)
            throw error
        }
    }

    func performCreate(_ type: ItemType) throws(DataStoreError) -> any MutableDataStoreItem {
        try block.checkOpen("create")
        return try noting { () throws(DataStoreError) in try block.make(try block.blockType(type)) }
    }

    func performCreate(
        _ type: ItemType, id: ItemID
    ) throws(DataStoreError) -> (any MutableDataStoreItem)? {
        try block.checkOpen("create")
        return try noting { () throws(DataStoreError) in
            try block.make(try block.blockType(type), id: id)
        }
    }

    func performInsert(_ item: any MutableDataStoreItem) throws(DataStoreError) -> Bool {
        try block.checkOpen("insert")
        return try noting { () throws(DataStoreError) in try block.add(item) }
    }

    func performDelete(_ item: any DataStoreItem) throws(DataStoreError) -> Bool {
        try block.checkOpen("delete")
        return try noting { () throws(DataStoreError) in try block.remove(item) }
    }

    func performDeleteAll(_ types: [ItemType]) throws(DataStoreError) {
        try block.checkOpen("deleteAll")
        try noting { () throws(DataStoreError) in
            for type in types { try block.removeAll(block.blockType(type)) }
        }
    }

    func performMutableVersion(of item: any DataStoreItem) throws(DataStoreError) -> (
        any MutableDataStoreItem
    )? {
        try block.checkOpen("mutableVersion")
        return try noting { () throws(DataStoreError) in try block.thaw(item) }
    }

    func dropIndex(
        _ index: IndexSchema, ofType itemTypeKey: String
    ) throws(DataStoreError) -> Bool {
        try block.checkOpen("dropIndex")
        return try noting { () throws(DataStoreError) in
            try block.dropIndex(index, of: ItemType(dynamic: itemTypeKey))
        }
    }

    func performSchemaChange(_ operation: SchemaOperation) throws(DataStoreError) -> Bool {
        try block.checkOpen("schemaChange")
        return try noting { () throws(DataStoreError) in
            switch operation {
            case .declare(let type):
                try block.complete(try block.blockType(type))
                return true
            case .renameAttribute(let name, let newName, let type):
                return try block.renameAttribute(name, to: newName, ofType: type)
            case .dropAttribute(let name, let type):
                return try block.dropAttribute(name, ofType: type)
            case .dropRelationship(let name, let type):
                return try block.dropRelationship(name, ofType: type)
            case .dropType(let type): return try block.dropType(type)
            case .setDefault(let value, let name, let type):
                return try block.setDefault(value, ofAttribute: name, ofType: type)
            }
        }
    }

    func declare(_ schema: ItemSchema) throws(DataStoreError) {
        try block.checkOpen("declare")
        try noting { () throws(DataStoreError) in try block.declare(schema) }
    }
}
