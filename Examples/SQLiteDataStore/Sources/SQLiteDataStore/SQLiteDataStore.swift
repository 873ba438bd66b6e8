public import Foundation
import GRDB
@_exported public import JustPersist
import Synchronization

/// A data store in SQLite, through GRDB: how any framework becomes a store of JustPersist.
///
/// ```swift
/// let store = SQLiteDataStore(at: URL(filePath: "/var/lib/app"))
/// try store.open()
/// ```
///
/// The store is a directory. Several processes may have it open; a write block waits for the one of another
/// process, and is refused with `.lockedByAnotherProcess` after a minute.
public final class SQLiteDataStore: DataStore {
    /// The directory of the store.
    public let url: URL
    /// What was chosen for the store.
    public let options: DataStoreOptions
    /// The sizes that the store takes.
    public let limits: DataStoreLimits

    let gate: BlockGate
    private let handler: SharedErrorHandler
    private let session = Mutex<SQLiteSession?>(nil)

    /// A closed store in a directory, which is made when the store is opened.
    public init(
        at url: URL, options: DataStoreOptions = DataStoreOptions(),
        limits: DataStoreLimits = .contract
    ) {
        self.url = url
        self.options = options
        self.limits = limits
        gate = BlockGate(threading: options.threading)
        handler = SharedErrorHandler(options.errorHandler)
    }

    /// Makes `DataStores.open("sqlite:/path")` know this backend.
    public static func register() {
        DataStores.register(scheme: "sqlite") { location, options throws(DataStoreError) in
            SQLiteDataStore(
                at: try StoreDirectory.url(location, scheme: "sqlite"), options: options)
        }
    }

    /// Receives each failure of a call that cannot throw.
    public var errorHandler: DataStoreErrorHandler? {
        get { handler.value }
        set { handler.value = newValue }
    }

    /// All of the contract, except child stores.
    public var capabilities: DataStoreCapabilities {
        DataStoreCapabilities(
            persistence: options.durability == .full ? .powerLoss : .processCrash,
            threading: options.threading, isSharedBetweenProcesses: true,
            isReadOnly: options.isReadOnly, limits: limits)
    }

    // MARK: Life

    /// Opens the database, and makes it if it is not there.
    public func open() throws {
        try gate.open {
            let opened = try SQLiteSession(at: url, options: options)
            session.withLock { $0 = opened }
        }
    }

    /// Closes the store once its blocks have ended, queued ones included.
    public func close() throws {
        try gate.close("close") { session.withLock { $0 = nil } }
    }

    /// Closes the store and deletes its files.
    public func destroy() throws {
        if options.isReadOnly { throw DataStoreError.readOnly(in: "destroy") }
        try gate.close("destroy", evenIfClosed: true) {
            session.withLock { $0 = nil }
            try SQLiteSession.deleteFiles(at: url)
        }
    }

    // MARK: Blocks

    /// Runs a block on one snapshot.
    public func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        try withReadBlock { running in
            let accessor: DataStoreReader = running
            try block(accessor)
        }
    }

    /// Runs `body` with a read block of its own.
    func withReadBlock(_ body: (ReadBlock) throws -> Void) throws {
        let isNested = gate.isInsideBlock
        try gate.read {
            let session = try opened("read")
            try session.read(isNested: isNested) { database in
                let block = try ReadBlock(database, store: try context(session))
                defer { block.end() }
                try body(block)
            }
        }
    }

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
        if options.isReadOnly { throw DataStoreError.readOnly(in: "write") }
        let session = try opened("write")
        var ended: WriteBlock?
        var isCommitted = false
        defer { ended?.conclude(isCommitted: isCommitted) }
        try session.write { database in
            let running = try WriteBlock(database, store: try context(session))
            ended = running
            defer { running.end() }
            let accessor: DataStoreWriter = running
            try block(accessor)
            try running.finish()
        }
        isCommitted = true
    }

    private func opened(_ operation: String) throws(DataStoreError) -> SQLiteSession {
        guard let session = session.withLock({ $0 }) else { throw .notSetUp(in: operation) }
        return session
    }

    private func context(_ session: SQLiteSession) throws(DataStoreError) -> StoreContext {
        StoreContext(
            storeID: session.storeID, files: try FileIdentity(ofItemAt: url), limits: limits,
            report: { [weak self] error in self?.report(error) })
    }
}
