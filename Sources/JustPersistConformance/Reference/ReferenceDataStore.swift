import Dispatch
public import JustPersist

/// An implementation of the contract for comparison: a store in memory that is a list of rows, with simple algorithms.
///
/// Its answers are correct by definition, and other stores are compared with it. It is not suitable for large data. It
/// keeps the whole contract, including child stores, except persistence.
public final class ReferenceDataStore: DataStore {
    /// The thread on which the blocks of `read` and `writeSync` run.
    public let threading: DataStoreThreading
    /// The sizes that the store accepts.
    public let limits: DataStoreLimits

    let number: ReferenceTree.Number
    let parentStore: ReferenceDataStore?
    let tree: Locked<ReferenceTree>
    let gate = ReferenceGate()
    let children = Locked<[Child]>([])
    /// Reports commits, under the tree's lock, so that the place of each state in the history is known.
    let feed = ChangeFeed()
    private let family: ItemID
    private let rules: ReferenceRules
    private let handler: Locked<DataStoreErrorHandler?>
    private let queue = DispatchQueue(label: "ReferenceDataStore.write")
    private let completions = DispatchQueue(label: "ReferenceDataStore.completion")

    /// A weak reference to a child.
    struct Child: Sendable {
        weak let store: ReferenceDataStore?
    }

    /// A closed, empty store.
    public convenience init(
        threading: DataStoreThreading = .callingThread, limits: DataStoreLimits = .contract,
        errorHandler: DataStoreErrorHandler? = nil
    ) {
        self.init(
            rules: ReferenceRules(), threading: threading, limits: limits,
            errorHandler: errorHandler)
    }

    /// A store with rules that may differ from the contract's.
    package init(
        rules: ReferenceRules, threading: DataStoreThreading = .callingThread,
        limits: DataStoreLimits = .contract, errorHandler: DataStoreErrorHandler? = nil
    ) {
        self.threading = threading
        self.limits = limits
        self.rules = rules
        number = ReferenceTree.root
        parentStore = nil
        tree = Locked(ReferenceTree(rules: rules))
        family = ItemID()
        handler = Locked(errorHandler)
    }

    /// A closed child of a store.
    init(childOf parent: ReferenceDataStore) {
        threading = parent.threading
        limits = parent.limits
        rules = parent.rules
        number = parent.tree.withLock { $0.makeNumber() }
        parentStore = parent
        tree = parent.tree
        family = parent.family
        handler = Locked(parent.errorHandler)
    }

    deinit { tree.withLock { $0.close(number) } }

    /// Registers this store for `DataStores.open("reference:")`.
    ///
    /// Each call of `open` makes another store.
    public static func register() {
        DataStores.register(scheme: "reference", settings: (), options: [], common: [.threading]) {
            location, options, _ throws(DataStoreError) in
            guard location.isEmpty else {
                throw DataStoreError(
                    .invalidStoreURL, in: "open",
                    "A reference store has no path; write “reference:”, not “reference:\(location)”."
                )
            }
            guard !options.isReadOnly, options.createsIfMissing else {
                throw DataStoreError(
                    .storeNotFound, in: "open",
                    "A reference store starts empty, so there is none to be read."
                )
            }
            return ReferenceDataStore(
                threading: options.threading, errorHandler: options.errorHandler)
        }
    }

    /// Receives each failure of a call that cannot throw.
    ///
    /// A child starts with its parent's handler.
    public var errorHandler: DataStoreErrorHandler? {
        get { handler.withLock { $0 } }
        set { handler.withLock { $0 = newValue } }
    }

    /// The capabilities of the whole contract, except persistence.
    public var capabilities: DataStoreCapabilities {
        DataStoreCapabilities(
            childStores: .nested, changeStreams: .live, threading: threading,
            enforcesUniqueness: true, hasRelationships: true, evolvesSchema: true, limits: limits)
    }

    // MARK: Life

    /// Opens the store, which is then empty.
    ///
    /// A child can be opened only while its parent is open, and then has no changes.
    public func open() throws {
        try gate.open {
            try tree.withLock { tree throws(DataStoreError) in
                if let parentStore {
                    try tree.open(number, childOf: parentStore.number)
                } else {
                    try tree.open()
                }
                feed.open()
            }
        }
    }

    /// Closes the store and its children, once their running and queued blocks have ended.
    ///
    /// Their data is lost.
    public func close() throws {
        try refuseInside("close")
        try gate.close("close") { shut() }
    }

    /// Closes the store, which loses its data.
    public func destroy() throws {
        try refuseInside("destroy")
        try gate.close("destroy", evenIfClosed: true) { shut() }
    }

    private func shut() {
        for child in openedChildren {
            // Closing could only be refused inside a block, which was checked before.
            try? child.close()
        }
        tree.withLock { $0.close(number) }
        feed.close()
    }

    /// Throws if the calling thread is inside a block of this store or of a descendant.
    private func refuseInside(_ operation: String) throws(DataStoreError) {
        try gate.refuseInside(operation)
        for child in openedChildren { try child.refuseInside(operation) }
    }

    // MARK: Blocks

    /// Runs a block on one snapshot.
    public func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        guard threading.readsOnMainThread else { return try read(block) }
        try gate.read {
            try MainQueue.run { try read(block, isAdmitted: true) }
        }
    }

    private func read(
        _ block: (borrowing DataStoreReader) throws -> Void, isAdmitted: Bool = false
    ) throws {
        try gate.read(isAdmitted: isAdmitted) {
            let running = try begin("read", isWriting: false)
            defer { running.end(isCommitted: false) }
            try block(rules.reader(running))
        }
    }

    /// Runs a block that may change the store, and makes its changes visible.
    public func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        try performWrite(ofStep: false) { running in try block(rules.writer(running)) }
    }

    /// Runs a write block of a step, which returns whether a step is unfinished after it.
    public func performStep(_ block: (borrowing DataStoreWriter) throws -> Bool) throws {
        let hasOpenChild = openedChildren.contains { child in
            tree.withLock { $0.state(of: child.number) != nil }
        }
        if hasOpenChild { throw DataStoreError.openChildren(in: "apply") }
        try performWrite(ofStep: true) { running in
            let isUnfinished = try block(rules.writer(running))
            running.state.hasUnfinishedStep = isUnfinished
        }
    }

    private func performWrite(ofStep: Bool, _ block: (ReferenceBlock) throws -> Void) throws {
        // Checked before the caller waits for another thread, which would wait for the caller's block.
        try gate.refuseNestedWrite()
        guard threading.writesOnMainThread else {
            return try write(isAdmitted: false, ofStep: ofStep, block)
        }
        try gate.read("write") { [gate] in
            try MainQueue.run(unless: { gate.isWriting }) {
                try write(isAdmitted: true, ofStep: ofStep, block)
            }
        }
    }

    /// Queues a block that may change the store.
    public func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        guard gate.enqueue() else {
            return completions.async { completion(DataStoreError.notSetUp(in: "writeAsync")) }
        }
        queue.async { [self] in
            var failure: (any Error)?
            do {
                try write(isAdmitted: true) { running in try block(rules.writer(running)) }
            } catch {
                failure = error
            }
            gate.dequeue()
            // Called outside of the queue, so that a completion may wait for blocks that were queued after its own.
            completions.async { [failure] in completion(failure) }
        }
    }

    private func write(
        isAdmitted: Bool, ofStep: Bool = false, _ block: (ReferenceBlock) throws -> Void
    ) throws {
        try gate.write(isAdmitted: isAdmitted) {
            let running = try begin("write", isWriting: true, ofStep: ofStep)
            let before = running.state
            var isCommitted = false
            defer { running.end(isCommitted: isCommitted) }
            do {
                try block(running)
                try running.thread.checkNoChangeWasLost()
                if running.poison == nil { try running.links.judge(rules.writer(running)) }
                try running.judge()
                if let poison = running.poison { throw poison }
            } catch {
                commit(from: before, to: rules.rolledBack(before, running.state))
                throw error
            }
            commit(from: before, to: rules.committed(before, running.state))
            isCommitted = true
        }
    }

    private func begin(
        _ operation: String, isWriting: Bool, ofStep: Bool = false
    ) throws -> ReferenceBlock {
        let (state, position) = tree.withLock { ($0.state(of: number), feed.position) }
        guard let state else { throw DataStoreError.notSetUp(in: operation) }
        if state.hasUnfinishedStep, !ofStep {
            throw DataStoreError.migrationRunning(in: operation)
        }
        let context = ReferenceBlock.Context(
            family: family, limits: limits, rules: rules,
            token: { [feed, rules] in
                feed.token.flatMap {
                    rules.token(ChangeToken(origin: $0.origin, position: position))
                }
            },
            report: { [weak self] error in self?.report(error) })
        return ReferenceBlock(state: state, isWriting: isWriting, context: context)
    }

    private func commit(from before: ReferenceState, to after: ReferenceState) {
        tree.withLock { tree in
            tree.commit(number, from: before, to: after)
            announce(from: before, to: after)
        }
    }
}
