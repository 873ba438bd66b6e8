public import JustPersist

/// Write blocks, and what follows their commits.
extension RecordStore {
    /// Runs a block that may change the store, and commits.
    public func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
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

    /// Runs `body` with a write block of its own, inside the gate, and commits.
    func writeBlock(_ body: (WriteBlock) throws -> Void) throws {
        if engine.traits.isReadOnly { throw DataStoreError.readOnly(in: "write") }
        var ended: WriteBlock?
        var isCommitted = false
        defer { ended?.conclude(isCommitted: isCommitted) }
        try engine.write { writer in
            let (context, header, catalog) = try state(in: writer, StoreHeader(reading: writer))
            try header.checkWriting()
            let running = WriteBlock(
                writer: writer, header: header, catalog: catalog, context: context)
            ended = running
            defer { running.end() }
            try body(running)
            try running.finish()
        }
        isCommitted = true
        if let ended { didCommit(ended) }
    }

    /// Takes over what a block has committed; called once for each, in the order of the commits.
    private func didCommit(_ block: WriteBlock) {
        remember(block.known.catalog)
        announce(block)
        if block.hasUnfinishedIndexes { buildIndexesLater() }
    }
}
