package import JustPersist

/// The accessor of a read block.
package struct ReferenceReadAccessor: DataStoreReadAccessor, ~Copyable {
    private let block: ReferenceBlock

    /// An accessor of a block.
    package init(_ block: ReferenceBlock) { self.block = block }

    package func performFetch(
        _ request: DataStoreRequest
    ) throws(DataStoreError) -> [any DataStoreItem] {
        var items: [any DataStoreItem] = []
        for row in try rows(request) {
            items.append(try block.item(row, as: request.type))
        }
        return items
    }

    package func performCount(_ request: DataStoreRequest) throws(DataStoreError) -> Int {
        try block.check("count")
        try block.judge()
        return try block.limited { () throws(DataStoreError) in
            try block.context.rules.count(request, block.state)
        }
    }

    package func performFetchItem(
        _ type: ItemType, id: ItemID
    ) throws(DataStoreError) -> (any DataStoreItem)? {
        try block.check("fetch")
        return try block.item(type, id)
    }

    package func performForEach(
        _ request: DataStoreRequest, _ body: (any DataStoreItem) throws -> Void
    ) throws {
        let rows = try rows(request)
        try request.withinDeadline {
            for row in rows {
                try block.limited(WorkLimit.check)
                // The item may have been changed or deleted since.
                guard let current = block.state.row(row.key) else { continue }
                let item = try block.item(current, as: request.type)
                try WorkLimit.pausing { try body(item) }
            }
        }
    }

    private func rows(
        _ request: DataStoreRequest
    ) throws(DataStoreError) -> [ReferenceRow] {
        try block.check("fetch")
        try block.judge()
        return try block.limited { () throws(DataStoreError) in
            try block.context.rules.rows(request, block.state)
        }
    }

    package func performAggregate(
        _ request: DataStoreRequest, _ aggregation: DataStoreAggregation
    ) throws(DataStoreError) -> [DataStoreRow] {
        try block.check("aggregate")
        try block.judge()
        let rules = block.context.rules
        return try block.limited { () throws(DataStoreError) in
            try rules.aggregate.rows(request, aggregation, in: block.state, items: rules.rows)
        }
    }

    package func performChangeToken() throws(DataStoreError) -> ChangeToken {
        try block.check("changeToken")
        guard let token = block.context.token() else {
            throw .changeStreamsUnsupported(in: "changeToken")
        }
        return token
    }

    package func schemas() throws(DataStoreError) -> [ItemSchema] {
        try block.check("schemas")
        return block.state.types.map { $0.schema.withDestinations(block.state.presentKey) }.sorted {
            $0.itemTypeKey < $1.itemTypeKey
        }
    }

    package func isDeclared(_ type: ItemType) throws(DataStoreError) -> Bool {
        try block.check("isDeclared")
        return block.isDeclared(type)
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

    package func performFetch(
        _ request: DataStoreRequest
    ) throws(DataStoreError) -> [any DataStoreItem] {
        try reading.performFetch(request)
    }

    package func performCount(_ request: DataStoreRequest) throws(DataStoreError) -> Int {
        try reading.performCount(request)
    }

    package func performFetchItem(
        _ type: ItemType, id: ItemID
    ) throws(DataStoreError) -> (any DataStoreItem)? {
        try reading.performFetchItem(type, id: id)
    }

    package func performForEach(
        _ request: DataStoreRequest, _ body: (any DataStoreItem) throws -> Void
    ) throws {
        try reading.performForEach(request, body)
    }

    package func performAggregate(
        _ request: DataStoreRequest, _ aggregation: DataStoreAggregation
    ) throws(DataStoreError) -> [DataStoreRow] {
        try reading.performAggregate(request, aggregation)
    }

    package func performChangeToken() throws(DataStoreError) -> ChangeToken {
        try reading.performChangeToken()
    }

    package func schemas() throws(DataStoreError) -> [ItemSchema] { try reading.schemas() }

    package func isDeclared(_ type: ItemType) throws(DataStoreError) -> Bool {
        try reading.isDeclared(type)
    }

    package var links: BlockLinks? { block.links }

    package func report(_ error: DataStoreError) { reading.report(error) }

    package func performCreate(_ type: ItemType) throws(DataStoreError) -> any MutableDataStoreItem
    {
        try block.check("create")
        return try block.make(type)
    }

    package func performInsert(_ item: any MutableDataStoreItem) throws(DataStoreError) -> Bool {
        try block.check("insert")
        return try block.add(item)
    }

    package func performDelete(_ item: any DataStoreItem) throws(DataStoreError) -> Bool {
        try block.check("delete")
        return try block.remove(item)
    }

    package func performDeleteAll(_ types: [ItemType]) throws(DataStoreError) {
        try block.check("deleteAll")
        for type in types { try block.removeAll(type) }
    }

    package func performMutableVersion(
        of item: any DataStoreItem
    ) throws(DataStoreError) -> (any MutableDataStoreItem)? {
        try block.check("mutableVersion")
        return try block.thaw(item)
    }

    package func performSchemaChange(
        _ operation: SchemaOperation
    ) throws(DataStoreError) -> Bool {
        try block.check("schemaChange")
        switch operation {
        case .declare(let type):
            try block.know(type)
            return true
        case .renameAttribute(let name, let newName, let type):
            block.forgetDeclarations()
            return try block.state.renameAttribute(name, to: newName, ofType: type)
        case .dropAttribute(let name, let type):
            block.forgetDeclarations()
            return block.state.dropAttribute(name, ofType: type)
        case .dropRelationship(let name, let type):
            block.forgetDeclarations()
            return block.state.dropRelationship(name, ofType: type)
        case .dropType(let type):
            try block.removeAll(ItemType(dynamic: type))
            block.forgetDeclarations()
            return block.state.dropType(type)
        case .setDefault(let value, let name, let type):
            return block.state.setDefault(value, ofAttribute: name, ofType: type)
        }
    }

    package func declare(_ schema: ItemSchema) throws(DataStoreError) {
        try block.check("declare")
        try block.declare(schema)
    }

    package func dropIndex(
        _ index: IndexSchema, ofType itemTypeKey: String
    ) throws(DataStoreError) -> Bool {
        try block.check("dropIndex")
        return block.state.drop(index, ofType: itemTypeKey)
    }
}
