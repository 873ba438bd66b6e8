public import JustPersist

/// Child stores: record stores over an engine that keeps their changes in memory, on top of this store's state.
extension RecordStore {
    /// The parent of this store; `nil` if this store is not a child.
    public var parent: (any DataStore)? { child?.parent }

    /// Makes a closed child of this store, which must be open.
    ///
    /// The child keeps its changes in memory until they are merged, up to the limit of one write block (1 GiB). Its
    /// blocks read this store's committed state, with the child's changes applied. After each commit of this store, the
    /// child's next block reads again all items that the child has changed; later blocks do not.
    ///
    /// A type, attribute or index that a child is the first to declare is declared in the root store immediately, in a
    /// commit of its own, so all stores share the declaration.
    public func makeChild() throws -> any DataStore {
        _ = try openContext("makeChild")
        let child = RecordStore<ChildEngine>(
            engine: ChildEngine(of: self, traits: engine.traits, limits: limits),
            threading: threading, limits: limits, errorHandler: errorHandler)
        child.log = log
        children.withLock { children in
            children.removeAll { $0.store == nil }
            children.append(Child(store: child))
        }
        return child
    }

    /// Writes the child's commits since its last merge, in one write block.
    ///
    /// The cost is about that of writing the changes.
    public func performMerge(
        _ child: any DataStore, policy: MergePolicy
    ) throws -> MergeReport {
        guard let child = child as? RecordStore<ChildEngine>, child.engine.parent === self else {
            throw DataStoreError.incompatibleChildDataStore()
        }
        try refuseInsideWrite()
        if engine.traits.isReadOnly { throw DataStoreError.readOnly(in: "merge") }
        var report = MergeReport()
        try child.engine.whileNotMerging {
            try child.gate.readHere {
                if try child.engine.changes.items.isEmpty { return }
                try gate.writeHere {
                    report = try merge(child, policy)
                }
            }
        }
        return report
    }

    private func merge(
        _ child: RecordStore<ChildEngine>, _ policy: MergePolicy
    ) throws -> MergeReport {
        var report = MergeReport()
        let changes = try child.engine.changes
        try writeBlock { block in
            if changes.steps != block.known.catalog.appliedSteps(in: block.writer) {
                throw DataStoreError.changesBeforeStep()
            }
            report.conflicts = try block.apply(changes.items, for: .merge(policy))
            if policy == .fail, !report.conflicts.isEmpty {
                throw DataStoreError.mergeConflict(report.conflicts)
            }
            try block.reconcile(changes.items)
            block.beforeCommit = { [unowned block] in
                child.engine.willMerge(changes, inCommit: block.header.commit)
            }
            block.whenEnded = { child.engine.didMerge(changes, isCommitted: $0) }
        }
        return report
    }

    /// Closes the children, which lose their unmerged changes.
    func closeChildren() throws {
        for child in children.withLock({ $0.compactMap(\.store) }) { try child.close() }
    }

    /// Whether a child of the store is open.
    var hasOpenChild: Bool {
        children.withLock { $0.contains { (try? $0.store?.openContext("apply")) != nil } }
    }

    /// A child, held weakly.
    struct Child: Sendable {
        weak let store: RecordStore<ChildEngine>?
    }
}

/// The part of a parent store that its children need, for any engine.
protocol ParentStore: DataStore {
    /// The context of the open store's blocks.
    func openContext(_ operation: String) throws(DataStoreError) -> StoreContext

    /// Whether items have entries in indexes.
    var keepsIndexes: Bool { get }

    /// Throws if the calling thread is inside a write block of this store or of an ancestor.
    func refuseInsideWrite() throws(DataStoreError)

    /// Runs `body` on the committed state, as a block of the store.
    func readCommitted(_ body: (any KeyValueReader) throws -> Void) throws

    /// The header of the state that a reader sees, which must be that of the open store.
    func header(
        in reader: any KeyValueReader, _ operation: String
    ) throws(DataStoreError) -> StoreHeader?

    /// The header and the catalog of the state that a reader sees.
    func catalog(in reader: any KeyValueReader) throws(DataStoreError) -> (StoreHeader, Catalog)

    /// Runs a block that declares something in the root store, and returns the store's catalog afterwards.
    func changeRootCatalog(
        _ body: (WriteBlock) throws(DataStoreError) -> Void
    ) throws(DataStoreError) -> Catalog
}

extension Catalog {
    /// The number of the steps of schema plans that the store has applied.
    func appliedSteps(in reader: any KeyValueReader) -> Int {
        guard let type = self.type(AppliedSchemaStep.itemTypeKey) else { return 0 }
        return (try? Counter.read(type.number, from: reader)) ?? 0
    }
}

extension RecordStore: ParentStore {
    func readCommitted(_ body: (any KeyValueReader) throws -> Void) throws {
        try gate.readHere { try engine.read(body) }
    }

    func catalog(
        in reader: any KeyValueReader
    ) throws(DataStoreError) -> (StoreHeader, Catalog) {
        let (_, header, catalog) = try state(in: reader, StoreHeader(reading: reader))
        try header.checkWhole(in: "read")
        try checkSteps(header, in: "read", reader)
        return (header, catalog)
    }

    func changeRootCatalog(
        _ body: (WriteBlock) throws(DataStoreError) -> Void
    ) throws(DataStoreError) -> Catalog {
        if let child { return try child.parent.changeRootCatalog(body) }
        var catalog = Catalog()
        do {
            try gate.writeHere {
                try writeBlock { block in
                    try body(block)
                    catalog = block.known.catalog
                }
            }
        } catch let error as DataStoreError {
            throw error
        } catch {
            throw DataStoreError(.storageFailure, in: "declare", "The store failed: \(error)")
        }
        return catalog
    }
}

extension RecordStore {
    /// Throws if the calling thread is inside a write block of this store or of an ancestor.
    func refuseInsideWrite() throws(DataStoreError) {
        try gate.refuseNestedWrite()
        try refuseInsideWriteAbove()
    }

    /// Throws if the calling thread is inside a write block of an ancestor of this store.
    ///
    /// A write block of this store may wait for the ancestors, to declare a type, so it must not run inside their write
    /// blocks.
    func refuseInsideWriteAbove() throws(DataStoreError) {
        try child?.parent.refuseInsideWrite()
    }
}
