public import JustPersist
import Synchronization

/// A data store over any ordered, transactional key-value engine.
///
/// The stores of this package are instances of this type with their engines. To make a complete store from a new
/// engine, conform it to ``KeyValueEngine``:
///
/// ```swift
/// let store = RecordStore(engine: MyEngine())
/// ```
public final class RecordStore<Engine: KeyValueEngine>: DataStore {
    /// The engine that contains the store's data.
    ///
    /// Do not call it while the store is open.
    public let engine: Engine
    /// The engine, if the store is a child.
    let child: ChildEngine?
    /// The amount of history that the store keeps; `nil` for the amount that it keeps already.
    public let changeLog: ChangeLogLength?
    /// The sizes that the store accepts; at most 1 GiB for a write block.
    public let limits: DataStoreLimits

    let gate: BlockGate
    let transaction: RecordTransaction<Engine>
    /// Reports commits to the observers of the store.
    let feed = ChangeFeed()
    /// Looks for the commits of other processes while the store is observed.
    let poller = ChangePoller()
    /// The types, with the keys and names that observers see.
    let changedTypes = Locked(ChangedTypes())
    /// Whether a block of this process may have committed and has not been announced.
    var isAnnouncing: Bool {
        opened.withLock { $0?.context.isAnnouncing ?? false }
    }
    private let handler: SharedErrorHandler
    private let opened = Locked<Opened?>(nil)
    /// The block of the thread's last read, kept for the next one because it knows the types.
    private let idleBlocks = ThreadParts { IdleBlock() }
    /// The number of migrations that are completing a part of a copy item by item.
    let loaders = Atomic<Int>(0)
    /// The children that still exist.
    let children = Locked<[Child]>([])
    /// The log to use from the next opening on.
    let nextLog = Locked<StoreLog?>(nil)
    /// Whether entries of indexes are being written in the background.
    let isBuilding = Locked(false)
    /// Where the building of indexes waits after an error that passes.
    let buildLater = SerialQueue(label: "JustPersist.indexes")

    /// The state of the open store.
    private struct Opened: Sendable {
        let context: StoreContext
        /// The catalog last seen; blocks check its version against the state they see.
        var catalog: Catalog
        /// Whether a later release has forbidden this one to write.
        let isSealed: Bool
        /// The id in the store's header; `nil` while a read-only store is empty, and another process may create it.
        var id: ItemID?

        /// Whether a header is that of another store.
        ///
        /// An id that is not known yet is that of the first header.
        mutating func isReplaced(by header: StoreHeader?) -> Bool {
            guard let id else {
                id = header?.id
                return false
            }
            return header?.id != id
        }
    }

    /// A closed store over an engine.
    ///
    /// - Parameters:
    ///   - engine: The engine that keeps the data.
    ///   - threading: The thread on which the blocks of `read` and `writeSync` run.
    ///   - limits: The sizes that the store accepts.
    ///   - changeLog: The amount of history that the store keeps, for streams of changes; `nil` for the amount that it
    ///     keeps already.
    ///   - errorHandler: Receives each failure of a call that cannot throw.
    public init(
        engine: Engine, threading: DataStoreThreading = .callingThread,
        limits: DataStoreLimits = .contract, changeLog: ChangeLogLength? = nil,
        errorHandler: DataStoreErrorHandler? = nil
    ) {
        self.engine = engine
        child = engine as? ChildEngine
        transaction = RecordTransaction(engine)
        gate = BlockGate(
            threading: threading, transaction: transaction, name: engine.storeName)
        self.changeLog = changeLog
        // The offsets in a record have 32 bits.
        var limits = limits
        limits.writeBlockBytes = min(limits.writeBlockBytes, 1 << 30)
        self.limits = limits
        handler = SharedErrorHandler(errorHandler)
        transaction.whenCommitted { [weak self] block in self?.didCommit(block) }
    }

    deinit { engine.close() }

    /// The thread on which the blocks of `read` and `writeSync` run.
    public var threading: DataStoreThreading { gate.threading }

    /// Receives each failure of a call that cannot throw.
    public var errorHandler: DataStoreErrorHandler? {
        get { handler.value }
        set { handler.value = newValue }
    }

    /// Whether entries of indexes can be stored.
    ///
    /// Rows cannot hold them.
    var keepsIndexes: Bool {
        child?.parent.keepsIndexes ?? !engine.storesRows
    }

    /// The context that the blocks of the open store share.
    func openContext(_ operation: String) throws(DataStoreError) -> StoreContext {
        guard let context = opened.withLock({ $0?.context }) else {
            throw .notSetUp(in: operation)
        }
        return context
    }

    /// The features of a store over this engine.
    public var capabilities: DataStoreCapabilities {
        let traits = engine.traits
        let persistence: DataStoreCapabilities.Persistence =
            !traits.isPersistent ? .none : traits.durability == .full ? .powerLoss : .processCrash
        return DataStoreCapabilities(
            persistence: persistence, childStores: .nested,
            changeStreams: changeLog.map { !$0.isOff } ?? false ? .logged : .live,
            threading: threading,
            enforcesUniqueness: keepsIndexes, hasRelationships: true,
            evolvesSchema: true,
            isSharedBetweenProcesses: traits.isSharedBetweenProcesses,
            isReadOnly: traits.isReadOnly, limits: limits)
    }

    // MARK: Life

    /// Opens the engine, and creates a store if its files are empty.
    public func open() throws {
        var failure: DataStoreError?
        let log = log
        let start = log?.startOfWork()
        try gate.open {
            try engine.open()
            do {
                try load()
            } catch {
                engine.close()
                throw error
            }
            failure = engine.recoveryReport
            log?.opened(nameInLog, types: knownTypes, since: start)
            if let failure { log?.recovered(nameInLog, failure) }
        }
        if let failure { report(failure) }
        // The work that an earlier opening queued has ended.
        isBuilding.withLock { $0 = false }
        if hasUnfinishedIndexes, !engine.traits.isReadOnly { buildIndexesLater() }
    }

    /// Whether a later release has forbidden this one to write.
    var isSealed: Bool { opened.withLock { $0?.isSealed ?? false } }

    /// Whether an index is known to lack entries that can be written here.
    var hasUnfinishedIndexes: Bool {
        opened.withLock { opened in
            guard let opened, opened.context.keepsIndexes, opened.context.root == nil,
                !opened.isSealed
            else { return false }
            return opened.catalog.unfinishedIndex(except: opened.context.failedBuilds) != nil
        }
    }

    /// Closes the store once its blocks have ended, queued ones included.
    public func close() throws {
        try prepareClosing("close")
        try gate.close("close") { shut() }
    }

    /// Closes the store and deletes its files.
    public func destroy() throws {
        if engine.traits.isReadOnly { throw DataStoreError.readOnly(in: "destroy") }
        try prepareClosing("destroy")
        try gate.close("destroy", evenIfClosed: true) {
            shut()
            try engine.destroy()
        }
    }

    /// Closes the children.
    ///
    /// Throws if closing the store would wait for the calling thread.
    private func prepareClosing(_ operation: String) throws {
        try gate.refuseInside(operation)
        do throws(DataStoreError) {
            // If closing waits for a child's block, that block may wait for the calling thread's write block.
            try refuseInsideWriteAbove()
        } catch {
            throw DataStoreError(
                .insideBlock, in: operation,
                """
                This thread is inside a write block of an ancestor of the child, for which blocks of the child may \
                wait. Close the child after the block has returned.
                """)
        }
        try closeChildren()
    }

    private var knownTypes: Int { opened.withLock { $0?.catalog.types.count ?? 0 } }

    private func shut() {
        let log = opened.withLock { $0?.context.log }
        let start = log?.startOfWork()
        // Children that were opened meanwhile have no block inside this store.
        try? closeChildren()
        for part in idleBlocks.all { part.withLock { $0.block = nil } }
        opened.withLock { $0 = nil }
        feed.close()
        engine.close()
        log?.closed(nameInLog, since: start)
    }

    private func load() throws {
        var header: StoreHeader?
        var catalog = Catalog()
        try engine.read { reader in
            header = try StoreHeader(reading: reader)
            if let header { catalog = try Catalog(reading: reader, version: header.catalogVersion) }
        }
        let known = header ?? StoreHeader(id: ItemID())
        if header == nil, !engine.traits.isReadOnly {
            try engine.write { writer in
                // Another process may have created the store meanwhile.
                if let header = try StoreHeader(reading: writer) { return _ = header }
                try writer.put(known.encoded(), forKey: KeySpace.header)
            }
            return try load()
        }
        let commit = try applyChangeLogLength(known)
        let above = try child.map { try $0.parent.openContext("open") }
        let context = StoreContext(
            storeID: known.id,
            files: try above.map(\.files)
                ?? engine.directory.flatMap { try FileIdentity(ofItemAt: $0) },
            limits: limits,
            checksBytes: above?.checksBytes ?? !engine.storesRows,
            keepsIndexes: keepsIndexes, feed: feed,
            root: child.map { child in
                // Weak, because retained items hold this closure, and must not keep the parent store open.
                RootCatalog { [weak child] (body) throws(DataStoreError) in
                    guard let child else { throw .notSetUp(in: "declare") }
                    return try child.parent.changeRootCatalog(body)
                }
            },
            log: log, report: { [weak self] error in self?.report(error) },
            count: { [weak self] group, counts in try? self?.count(group, &counts) })
        opened.withLock { [catalog] in
            $0 = Opened(
                context: context, catalog: catalog, isSealed: known.unknown.forbidsWriting,
                id: header?.id)
        }
        feed.open(origin: context.historyID, position: commit)
    }

    // MARK: Blocks

    /// Runs a block on one snapshot.
    public func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        try gate.read {
            try withBlock { running in
                let accessor: DataStoreReader = RecordReadAccessor(running)
                try block(accessor)
            }
        }
    }

    /// Runs `body` with a block of its own, inside the gate.
    ///
    /// - Parameters:
    ///   - ofLoad: Whether the block may read a store that is being loaded.
    ///   - ofStep: Whether the block may run while a step of a schema plan is unfinished.
    func withBlock(
        ofLoad: Bool = false, ofStep: Bool = false, _ body: (Block) throws -> Void
    ) throws {
        let ofLoad = ofLoad || isLoading
        try engine.read { reader in
            var block = try readBlock(reader, ofLoad: ofLoad, ofStep: ofStep)
            defer {
                block.end()
                // Retained items refer to the block.
                if !ofLoad, !ofStep, !block.dependsOnRecords, isKnownUniquelyReferenced(&block) {
                    idleBlocks.all[ThreadPart.mine].withLock { [block] in $0.block = block }
                }
            }
            try body(block)
        }
    }

    /// Whether blocks may use a store that holds a part of a copy.
    var isLoading: Bool { loaders.load(ordering: .sequentiallyConsistent) > 0 }

    private func readBlock(
        _ reader: any KeyValueReader, ofLoad: Bool, ofStep: Bool
    ) throws(DataStoreError) -> Block {
        let idle = idleBlocks.all[ThreadPart.mine].withLock { idle in
            let block = idle.block
            idle.block = nil
            return IdleBlock(block: block)
        }
        // Equal snapshot numbers identify equal states, with equal headers.
        if let block = idle.block, let number = reader.snapshotNumber,
            number == block.snapshotNumber
        {
            block.begin(reader)
            return block
        }
        let header = try self.header(in: reader, "read")
        if !ofLoad { try header?.checkWhole(in: "read") }
        if let header, !ofStep { try checkSteps(header, in: "read", reader) }
        if let block = idle.block, let header, block.headerID == header.id,
            block.known.catalog.version == header.catalogVersion
        {
            block.begin(reader)
            return block
        }
        let (context, _, catalog) = try state(in: reader, header)
        let block = Block(reader: reader, catalog: catalog, context: context)
        block.headerID = header?.id
        return block
    }

    /// The header of the state that a reader sees; `nil` if the store is empty.
    ///
    /// - Throws: `.storeDeleted` if it is that of another store.
    func header(
        in reader: any KeyValueReader, _ operation: String
    ) throws(DataStoreError) -> StoreHeader? {
        let header = try StoreHeader(reading: reader)
        // A child has its parent's header, which the parent compares.
        if child == nil, opened.withLock({ $0?.isReplaced(by: header) == true }) {
            throw replaced(by: header, in: operation)
        }
        return header
    }

    /// The error of a block that finds the header of another store, or none.
    ///
    /// The versions of the other one's catalog say nothing about the catalog in memory.
    private func replaced(by header: StoreHeader?, in operation: String) -> DataStoreError {
        let place = header == nil ? "" : ", and there is another store in its place"
        return DataStoreError(
            .storeDeleted, in: operation,
            """
            Another process destroyed the \(engine.storeName) store while it was open here\(place). Nothing was changed. Close \
            the store; opened again, it shows what is there now.
            """)
    }

    /// The number of items of the committed state that have a value of that kind.
    private func count(
        _ group: StoreContext.ValueGroup, _ counts: inout StoreContext.Counts
    ) throws -> Int {
        var count = 0
        try gate.readHere {
            try engine.read { reader in
                let commit = try self.header(in: reader, "count")?.commit ?? 0
                if counts.commit != commit { counts = StoreContext.Counts(commit: commit) }
                if let known = counts.known[group] { return count = known }
                try reader.scan(RecordKey.range(type: group.type), reversed: false) {
                    (_, record) throws(DataStoreError) in
                    if let field = RecordFormat.field(group.attribute, in: record),
                        ValueTag.kind(of: field.tag) == group.kind
                    {
                        count += 1
                    }
                    return .next
                }
                counts.known[group] = count
            }
        }
        return count
    }

    /// The catalog of the state that a reader sees, from memory if its version is the same.
    ///
    /// In a write block it may be the catalog of an earlier block of the same transaction. Only a committed catalog is
    /// kept in memory: if the transaction is rolled back, the next one gives its version number to another catalog.
    ///
    /// - Throws: `.storeDeleted` if the header is that of another store.
    func state(
        in reader: any KeyValueReader, _ header: StoreHeader?, isCommitted: Bool = true,
        ofTransaction uncommitted: Catalog? = nil
    ) throws(DataStoreError) -> (StoreContext, StoreHeader, Catalog) {
        let isChild = child != nil
        let found = opened.withLock { opened -> (StoreContext, Catalog, isReplaced: Bool)? in
            let isReplaced = !isChild && opened?.isReplaced(by: header) == true
            return opened.map { ($0.context, $0.catalog, isReplaced) }
        }
        guard let (context, catalog, isReplaced) = found else { throw .notSetUp(in: "read") }
        if isReplaced { throw replaced(by: header, in: isCommitted ? "read" : "write") }
        guard let header else {
            return (context, StoreHeader(id: context.storeID), Catalog())
        }
        if let uncommitted, header.catalogVersion == uncommitted.version {
            return (context, header, uncommitted)
        }
        if header.catalogVersion == catalog.version { return (context, header, catalog) }
        let read = try Catalog(reading: reader, version: header.catalogVersion)
        if isCommitted { remember(read) }
        return (context, header, read)
    }

    func remember(_ catalog: Catalog) {
        opened.withLock { opened in
            if let known = opened?.catalog.version, known < catalog.version {
                opened?.catalog = catalog
            }
        }
    }
}

// Sendable because one thread takes the block out before it uses it. Not nested in the class, whose type parameter
// would make each use look up metadata.
private struct IdleBlock: @unchecked Sendable {
    var block: Block?
}
