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
/// One of the two stores is in charge: it is read, and a write block runs in it. What a block has committed there is then copied
/// to the other store, before the write call returns. Nothing is read from the other store until ``cutOver()``, which takes
/// place between two write blocks. How far the migration is stands in a file, so the program may end, or be killed, at any
/// moment. What each ``Phase`` promises, and what happens if one of the stores fails, is in <doc:MigratingWhileRunning>.
///
/// Both stores must keep their data when they are closed, tell their changes (``/JustPersist/DataStoreCapabilities/changeStreams``) under an
/// ``/JustPersist/ChangeToken/origin`` that stays, run their blocks on the calling thread and allow nested blocks, as the stores of this
/// package do. They are opened and closed by this one, and nobody else may write to them. With a change log in the store in
/// charge a restart costs little; without one, both are compared again.
///
/// It makes no child stores. An item belongs to the store that it was fetched from: if you keep an item across ``cutOver()``, fetch
/// it again by its id before you change it. Streams of changes go on across it.
public final class MigratingDataStore: DataStore {
    /// How far a migration is.
    public enum Phase: String, Sendable, Codable {
        /// The old store is in charge. Its items are being copied to the new one.
        case copying
        /// The old store is in charge. The new one has everything, and gets what is written.
        case mirroring
        /// The new store is in charge. The old one gets what is written, so that going back is possible.
        case switched
        /// The new store is in charge, and the old one is not used any more.
        case finished
    }

    /// The store that is migrated from.
    public let old: any DataStore
    /// The store that is migrated to.
    public let new: any DataStore
    /// The file that says how far the migration is.
    public let recordURL: URL

    let life: BlockGate
    let writers = WriterGate()
    /// What the file says; `nil` while it was not read.
    let record = Locked<MigrationRecord?>(nil)
    /// Whether the file may say what was refused since; changed under the lock of the record.
    let isRecordStale = Atomic(false)
    /// How often a place was forgotten: one that was asked for before is not written any more.
    let forgottenPlaces = Atomic(0)
    let running = Locked(Running())
    /// How often the store in charge has changed, counted so that it is odd while the new one is.
    ///
    /// Changed while writers are kept out.
    let turns = Atomic(0)
    /// The completions of queued blocks, which may wait for ``cutOver()`` too.
    package let completions = CompletionQueue(label: "JustPersist.migration.completion")
    /// Whether the program waits for the queued blocks when it ends.
    private let isKnownAtExit = Atomic(false)
    let relay = ChangeRelay()
    private let handler: SharedErrorHandler

    /// What there is while the store is open.
    struct Running {
        var lock: MigrationLock?
        /// `nil` if the migration was finished before the store was opened.
        var mirror: StoreMirror?
        var worker: MigrationWorker?
        var progress: MigrationProgress?
        /// Why the file could not be written the last time that the background work wanted to.
        var recordFailure: DataStoreError?
        /// The failure of the other store that was reported last.
        var reported: String?
        /// Grows with everything that may change the status.
        var version = 0
        var listeners: [Int: AsyncStream<Status>.Continuation] = [:]
        var lastListener = 0
    }

    /// A closed store over two others, which are opened and closed with it.
    ///
    /// - Parameters:
    ///   - old: The store that the program has used so far.
    ///   - new: The store that it is to use: empty, when this is opened for the first time.
    ///   - recordURL: A file for how far the migration is, which is made if it is not there. Keep it until ``finish()``.
    ///   - threading: On which thread the blocks of `read` and `writeSync` run.
    ///   - errorHandler: Receives the failures that no call throws, also those of both stores.
    public init(
        from old: any DataStore, to new: any DataStore, recordedIn recordURL: URL,
        threading: DataStoreThreading = .callingThread, errorHandler: DataStoreErrorHandler? = nil
    ) {
        self.old = old
        self.new = new
        // So that the file itself is replaced, and not a link to it.
        self.recordURL = recordURL.resolvingSymlinksInPath()
        life = BlockGate(threading: threading)
        handler = SharedErrorHandler(errorHandler)
        capabilities = DataStoreCapabilities(commonTo: old, new, threading: threading)
        for store in [old, new] {
            store.errorHandler = { [weak self] error in self?.storeHasReported(error) }
        }
    }

    // It may be on the worker's thread, which cannot wait for itself. With the worker the stores go.
    deinit {
        let running = running.withLock { $0 }
        running.worker?.cancel(keeping: running.lock)
        for listener in running.listeners.values { listener.finish() }
    }

    /// What both stores can do, but for child stores.
    public let capabilities: DataStoreCapabilities

    /// Receives the failures that no call throws, also those of both stores.
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
                    // Otherwise this snapshot may be one of a store that is no longer in charge, with a half of a block.
                    guard turns.load(ordering: .acquiring) == turn else { return }
                    isRead = true
                    try block(db)
                }
            }
        }
    }

    /// Writes to the store in charge, and then copies what has changed to the other one.
    ///
    /// If that copy fails, the call succeeds all the same: see ``Status/failure``.
    public func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        // Before the caller waits for the main thread, which would wait for the caller's block.
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
                        // Whoever closes the store waits for it.
                        try life.visit("write", isQueued: true) {
                            try writers.runQueued { try block(db) }
                        }
                    }) { [self] error in
                        if error == nil { follow() }
                        writers.queuedBlockHasEnded()
                        completions.async { completion(error) }
                    }
                }
            }
        } catch {
            completions.async { completion(error) }
        }
    }

    /// Copies what was committed to the store that is not in charge.
    private func follow() {
        guard let failure = running.withLock({ $0.mirror })?.follow() else { return }
        reportOnce(failure)
    }

    /// Reports a failure of the store that is not in charge, unless it is the same as the last time.
    func reportOnce(_ failure: DataStoreError) {
        let isNew = running.withLock { running in
            defer { running.reported = failure.description }
            return running.reported != failure.description
        }
        if isNew { reportLater(failure) }
    }

    /// Reports on a thread that nobody waits for: the handler may close this store.
    func reportLater(_ error: DataStoreError) {
        WaitingThreads.run { self.report(error) }
    }

    private func storeHasReported(_ error: DataStoreError) {
        let isWorking = running.withLock { $0.mirror }?.isWorkingHere ?? false
        if isWorking { reportLater(error) } else { report(error) }
    }

    // MARK: What is asked of the store in charge

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

    /// Observes what is committed, also across ``cutOver()``.
    ///
    /// A token of an earlier opening is not known, and one that a block takes while others write may not be: then the stream
    /// begins with a set that is not complete.
    public func observeChanges(
        _ scope: ChangeScope, since token: ChangeToken?
    ) throws -> any ChangeObservation {
        guard let mirror = running.withLock({ $0.mirror }) else {
            return try new.observeChanges(scope, since: token)
        }
        let now = try token.map { _ in try place(in: mirror.primary) }
        // So that the place of the token is known.
        mirror.takeUpChanges()
        return try relay.observe(scope, since: token, now: now)
    }
}

extension MigratingDataStore: QueueAtExit {
    package var nameAtExit: String { recordURL.path(percentEncoded: false) }

    /// Does not count the blocks that the store in charge knows.
    package func finish(patience: Double) -> Int {
        let lost = writers.finish(patience: patience)
        completions.finish(patience: patience)
        return lost
    }
}

extension DataStoreCapabilities {
    /// What two stores can both do, as one of them is used in the place of the other.
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
