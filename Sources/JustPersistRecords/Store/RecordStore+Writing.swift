public import JustPersist

/// Write blocks and their commits.
extension RecordStore {
    /// Runs a block that may change the store, and commits.
    public func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        try refuseInsideWriteAbove()
        try gate.write { try write(block) }
    }

    /// Queues a block that may change the store.
    public func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        gate.enqueueWrite({ try self.write(block) }, completion: completion)
    }

    private func write(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        try writeBlock { running in
            let accessor: DataStoreWriter = RecordWriteAccessor(running)
            try block(accessor)
        }
    }

    /// Runs `body` with a write block of its own, inside the gate, which commits it.
    ///
    /// The gate may commit the block together with others. Until then, only later blocks of the group see its changes.
    ///
    /// - Parameters:
    ///   - ofLoad: Whether the block may write to a store that is being loaded.
    ///   - ofStep: Whether the block may run while a step of a schema plan is unfinished.
    func writeBlock(
        ofLoad: Bool = false, ofStep: Bool = false, _ body: (WriteBlock) throws -> Void
    ) throws {
        guard let writer = transaction.writer else { throw DataStoreError.notSetUp(in: "write") }
        let (context, header, catalog) = try state(
            in: writer, StoreHeader(reading: writer), isCommitted: false,
            ofTransaction: transaction.catalog)
        try header.checkWriting()
        if !ofLoad, !isLoading { try header.checkWhole(in: "write") }
        if !ofStep { try checkSteps(header, in: "write", writer) }
        let running = WriteBlock(
            writer: writer, header: header, catalog: catalog, context: context)
        do {
            defer { running.end() }
            try running.renewFoldedIndexes()
            try body(running)
            try running.finish()
        } catch {
            running.conclude(isCommitted: false)
            context.log?.rolledBack(error, since: running.start)
            throw error
        }
        transaction.add(running)
    }

    /// Runs a write block of a step, which returns whether a step is unfinished after it.
    public func performStep(_ block: (borrowing DataStoreWriter) throws -> Bool) throws {
        try refuseInsideWriteAbove()
        if hasOpenChild { throw DataStoreError.openChildren(in: "apply") }
        try gate.write {
            try writeBlock(ofStep: true) { running in
                let accessor: DataStoreWriter = RecordWriteAccessor(running)
                let isUnfinished = try block(accessor)
                if running.header.hasUnfinishedStep == isUnfinished { return }
                running.header.hasUnfinishedStep = isUnfinished
                running.hasWritten = true
            }
        }
    }

    /// Throws while a step of a schema plan is unfinished, and names the step if its record can be read.
    func checkSteps(
        _ header: StoreHeader, in operation: String, _ reader: any KeyValueReader
    ) throws(DataStoreError) {
        if !header.hasUnfinishedStep { return }
        var step: AppliedSchemaStep?
        if let (context, _, catalog) = try? state(in: reader, header, isCommitted: false) {
            let block = Block(reader: reader, catalog: catalog, context: context)
            defer { block.end() }
            step = try? RecordReadAccessor(block).schemaHistory().first { $0.isUnfinished }
        }
        throw .migrationRunning(in: operation, of: step)
    }

    /// Takes over the changes of a committed block; called once for each block, in the order of the commits.
    func didCommit(_ block: WriteBlock) {
        if block.hasCommit {
            block.context.log?.committed(
                block.header.commit, since: block.start, block.changesInLog)
        }
        remember(block.known.catalog)
        announce(block)
        if block.hasUnfinishedIndexes { buildIndexesLater() }
    }
}
