public import Foundation
public import JustPersist
import Synchronization

/// A store that moves from one store to another while a program uses it.
///
/// ```swift
/// let store = MigratingDataStore(from: old, to: new, recordedIn: file)
/// try store.open()              // copies in the background; read and write as ever
/// try store.waitUntilInStep()
/// try store.cutOver()           // from here on `new` is read
/// try store.finish()            // from here on `old` is left alone
/// ```
///
/// One of the two stores is in charge: it is read, and write blocks run in it. The changes of a block are then copied
/// to the other store, before the write call returns. Nothing is read from the other store until ``cutOver()``, which
/// takes place between two write blocks. The state of the migration is stored in a file, so the program may end, or be
/// killed, at any moment. <doc:MigratingWhileRunning> describes the guarantees of each ``Phase``, and what happens if
/// one of the stores fails.
///
/// Both stores must keep their data when they are closed, report their changes
/// (``/JustPersist/DataStoreCapabilities/changeStreams``) under an ``/JustPersist/ChangeToken/origin`` that stays the
/// same, run their blocks on the calling thread and allow nested blocks, as the stores of this package do. This store
/// opens and closes them, and must be the only one to write to them. With a change log in the store in charge a restart
/// costs little; without one, both are compared again.
///
/// It makes no child stores. An item belongs to the store that it was fetched from: if you keep an item across
/// ``cutOver()``, fetch it again by its id before you change it. Streams of changes continue across it.
public final class MigratingDataStore: DataStore {
    /// The phases of a migration.
    public enum Phase: String, Sendable, Codable {
        /// The old store is in charge. Its items are being copied to the new one.
        case copying
        /// The old store is in charge. The new one has all its items, and writes are copied to it.
        case mirroring
        /// The new store is in charge. Writes are copied to the old one, so that going back is possible.
        case switched
        /// The new store is in charge, and the old one is no longer used.
        case finished
    }

    /// The store that is migrated from.
    public let old: any DataStore
    /// The store that is migrated to.
    public let new: any DataStore
    /// The file that stores the state of the migration.
    public let recordURL: URL

    let life: BlockGate
    let writers = WriterGate()
    /// The contents of the file; `nil` until it is read.
    let record = Locked<MigrationRecord?>(nil)
    /// Whether the file may contain a change that failed; changed under the lock of the record.
    let isRecordStale = Atomic(false)
    /// Counts forgotten places: a place that was requested before the last one is not saved.
    let forgottenPlaces = Atomic(0)
    let running = Locked(Running())
    /// Counts the changes of the store in charge: odd while the new one is.
    ///
    /// Changed while writers are excluded.
    let turns = Atomic(0)
    /// The queue for completions of queued blocks, which may wait for ``cutOver()``.
    package let completions = CompletionQueue(label: "JustPersist.migration.completion")
    /// Whether the program waits for the queued blocks when it ends.
    private let isKnownAtExit = Atomic(false)
    let relay = ChangeRelay()
    private let handler: SharedErrorHandler

    /// The state of the open store.
    struct Running {
        var lock: MigrationLock?
        /// `nil` if the migration was finished before the store was opened.
        var mirror: StoreMirror?
        var worker: MigrationWorker?
        var progress: MigrationProgress?
        /// The last failure of the background work to write the file.
        var recordFailure: DataStoreError?
        /// The failure of the other store that was last reported.
        var reported: String?
        /// Increases with each change that may affect the status.
        var version = 0
        var listeners: [Int: AsyncStream<Status>.Continuation] = [:]
        var lastListener = 0
    }

    /// A closed store over two others, which are opened and closed with it.
    ///
    /// - Parameters:
    ///   - old: The store that the program has used so far.
    ///   - new: The store that it is to use: empty, when this is opened for the first time.
    ///   - recordURL: A file for the state of the migration, created if it does not exist. Keep it until ``finish()``.
    ///   - threading: On which thread the blocks of `read` and `writeSync` run.
    ///   - errorHandler: Receives the failures that no call throws, including those of both stores.
    public init(
        from old: any DataStore, to new: any DataStore, recordedIn recordURL: URL,
        threading: DataStoreThreading = .callingThread, errorHandler: DataStoreErrorHandler? = nil
    ) {
        self.old = old
        self.new = new
        // Links are resolved, so that writing replaces the file itself and not a link to it.
        self.recordURL = recordURL.resolvingSymlinksInPath()
        life = BlockGate(threading: threading)
        handler = SharedErrorHandler(errorHandler)
        capabilities = DataStoreCapabilities(commonTo: old, new, threading: threading)
        for store in [old, new] {
            store.errorHandler = { [weak self] error in self?.storeHasReported(error) }
        }
    }

    // It may run on the worker's thread, which cannot wait for itself. The worker releases the stores.
    deinit {
        let running = running.withLock { $0 }
        running.worker?.cancel(keeping: running.lock)
        for listener in running.listeners.values { listener.finish() }
    }

    /// The common features of both stores, without child stores.
    public let capabilities: DataStoreCapabilities

    /// Receives the failures that no call throws, including those of both stores.
    public var errorHandler: DataStoreErrorHandler? {
        get { handler.value }
        set { handler.value = newValue }
    }

    /// The store in charge.
    var primary: any DataStore { store(inTurn: turns.load(ordering: .acquiring)) }

    private func store(inTurn turn: Int) -> any DataStore { turn % 2 == 1 ? new : old }

    /// Puts one of the stores in charge.
    func setInCharge(new isNew: Bool) {
        let turn = turns.load(ordering: .relaxed)
        if (turn % 2 == 1) != isNew { turns.store(turn + 1, ordering: .releasing) }
    }

    // MARK: Blocks

    /// Reads the store in charge.
    public func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        try life.read {
            var isRead = false
            while !isRead {
                let turn = turns.load(ordering: .acquiring)
                try store(inTurn: turn).performRead { db in
                    // Otherwise this may be the snapshot of a store that is no longer in charge, with half of the
                    // changes of a block.
                    guard turns.load(ordering: .acquiring) == turn else { return }
                    isRead = true
                    try block(db)
                }
            }
        }
    }

    /// Writes to the store in charge, and then copies the changes to the other one.
    ///
    /// If that copy fails, the call succeeds nevertheless: see ``Status/failure``.
    public func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        // This is checked before the caller waits for the main thread, which would wait for the caller's block.
        if writers.isInside { throw DataStoreError.nestedWrite(in: "write") }
        try life.visit("write") {
            guard life.threading.writesOnMainThread else { return try writeHere(block) }
            let (life, writers) = (life, writers)
            try MainQueue.run(unless: { writers.isHeldHere }) {
                try life.visit("write", isQueued: true) { try writeHere(block) }
            }
        }
    }

    private func writeHere(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        try writers.write {
            try primary.performWrite(block)
            follow()
        }
    }

    /// Queues a block for the store in charge.
    public func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        if !isKnownAtExit.exchange(true, ordering: .relaxed) { WriteQueuesAtExit.add(self) }
        do {
            try life.visit("writeAsync") {
                writers.enqueue { [self] in
                    primary.enqueueWrite({ [self] db in
                        // Closing the store waits for it.
                        try life.visit("write", isQueued: true) {
                            try writers.runQueued { try block(db) }
                        }
                    }) { [self] error in
                        if error == nil { follow() }
                        // The completion is added before the block counts as ended: a program that ends waits for the
                        // block, and then for its completion.
                        completions.async { completion(error) }
                        writers.queuedBlockHasEnded()
                    }
                }
            }
        } catch {
            completions.async { completion(error) }
        }
    }

    /// Copies the commits to the store that is not in charge.
    private func follow() {
        guard let failure = running.withLock({ $0.mirror })?.follow() else { return }
        reportOnce(failure)
    }

    /// Reports a failure of the store that is not in charge, unless it is the same as the last one.
    func reportOnce(_ failure: DataStoreError) {
        let isNew = running.withLock { running in
            defer { running.reported = failure.description }
            return running.reported != failure.description
        }
        if isNew { reportLater(failure) }
    }

    /// Reports an error on a thread that nothing waits for, because the handler may close this store.
    func reportLater(_ error: DataStoreError) {
        WaitingThreads.run { self.report(error) }
    }

    private func storeHasReported(_ error: DataStoreError) {
        let isWorking = running.withLock { $0.mirror }?.isWorkingHere ?? false
        if isWorking { reportLater(error) } else { report(error) }
    }

    // MARK: Calls to the store in charge

    /// Checks the store in charge.
    public func verify() throws -> VerificationReport {
        var report = VerificationReport()
        try life.visit("verify") { report = try primary.verify() }
        return report
    }

    /// Waits for the indexes of the store in charge.
    public func buildIndexes(progress: (IndexProgress) throws -> Void) throws {
        try life.visit("buildIndexes") { try primary.buildIndexes(progress: progress) }
    }

    /// Observes the store's commits, also across ``cutOver()``.
    ///
    /// A token of an earlier opening is unknown, and a token that a block takes while other threads write may be: then
    /// the stream begins with a set that is not complete.
    public func observeChanges(
        _ scope: ChangeScope, since token: ChangeToken?
    ) throws -> any ChangeObservation {
        guard let mirror = running.withLock({ $0.mirror }) else {
            return try new.observeChanges(scope, since: token)
        }
        let now = try token.map { _ in try place(in: mirror.primary) }
        // Reports pending changes first, which makes the place of the token known.
        mirror.takeUpChanges()
        return try relay.observe(scope, since: token, now: now)
    }
}

extension MigratingDataStore: QueueAtExit {
    package var nameAtExit: String { recordURL.path(percentEncoded: false) }

    /// Does not count the blocks that are queued in the store in charge.
    package func finish(patience: Double) -> Int {
        let lost = writers.finish(patience: patience)
        completions.finish(patience: patience)
        return lost
    }
}

extension DataStoreCapabilities {
    /// The common features of two stores that replace each other.
    fileprivate init(
        commonTo old: any DataStore, _ new: any DataStore, threading: DataStoreThreading
    ) {
        let (old, new) = (old.capabilities, new.capabilities)
        self.init(
            persistence: min(old.persistence, new.persistence),
            isolation: min(old.isolation, new.isolation),
            hasConcurrentReads: old.hasConcurrentReads && new.hasConcurrentReads,
            nesting: old.nesting.intersection(new.nesting),
            changeStreams: .live, threading: threading,
            valueKinds: old.valueKinds.intersection(new.valueKinds),
            predicateOperators: old.predicateOperators.intersection(new.predicateOperators),
            textOrders: old.textOrders.intersection(new.textOrders),
            enforcesUniqueness: old.enforcesUniqueness && new.enforcesUniqueness,
            limits: DataStoreLimits(
                nameBytes: min(old.limits.nameBytes, new.limits.nameBytes),
                valueBytes: min(old.limits.valueBytes, new.limits.valueBytes),
                writeBlockBytes: min(old.limits.writeBlockBytes, new.limits.writeBlockBytes)))
    }
}
