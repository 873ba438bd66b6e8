public import Foundation
public import JustPersist
public import JustPersistRecords

/// A key-value engine in a PostgreSQL database, over the client library libpq.
///
/// - A read block is one transaction of the isolation level REPEATABLE READ, and waits for no writer.
/// - A write block holds a lock that the writers of all processes and machines take in turn. It runs exactly once, on the
///   newest state. Its changes are collected in memory, and sent and committed together.
/// - If the connection is lost during a commit, the engine finds out whether it has happened, on whichever of the servers
///   accepts writes then.
///
/// The engine can be used from any thread, under the rules of `KeyValueEngine`. A forked child cannot use its parent's
/// stores.
public final class PostgresEngine: KeyValueEngine {
    /// The configuration of the store.
    public let configuration: PostgresConfiguration
    /// The engine's features and guarantees.
    public let traits: KeyValueEngineTraits

    static let name = "PostgreSQL"
    static let longestKey = 511

    private let session = Locked<Session?>(nil)

    /// An engine for a store, whose server is not contacted until ``open()``.
    public init(configuration: PostgresConfiguration) {
        self.configuration = configuration
        traits = KeyValueEngineTraits(
            name: Self.name, isPersistent: true, durability: configuration.durability,
            isSharedBetweenProcesses: true, isReadOnly: configuration.isReadOnly,
            maximumKeyLength: Self.longestKey, isPassedBetweenThreads: true)
    }

    /// Connects to the server, and creates the store if it does not exist.
    ///
    /// Does nothing if it is open.
    ///
    /// - Throws: The errors of `PostgresDataStore.open(_:options:)`.
    public func open() throws(DataStoreError) {
        guard session.withLock({ $0 }) == nil else { return }
        try configuration.validate()
        let opened = try Session(configuration)
        session.withLock { $0 = opened }
    }

    /// Closes the connections.
    public func close() { session.withLock { $0 = nil } }

    /// Deletes the store's tables, and its schema unless an administrator has made it or something else is in it.
    ///
    /// Does nothing if there is no store.
    ///
    /// - Throws: `.readOnly`, `.notAStore`, `.busy` if blocks of other processes run, or a failure of the server.
    public func destroy() throws(DataStoreError) {
        try refuseIfReadOnly("destroy")
        try configuration.validate()
        try Session.destroy(configuration)
    }

    /// Runs `body` on the present committed state.
    public func read(_ body: (any KeyValueReader) throws -> Void) throws {
        try openSession(in: "read").read(body)
    }

    /// Runs `body` while no other process writes, and commits its changes if it returns.
    ///
    /// - Throws: The error of `body`; `.busy`; `.connectionLost` if nothing was committed; `.commitOutcomeUnknown`; or
    ///   another failure of the server, after which nothing has changed.
    public func write(_ body: (any KeyValueWriter) throws -> Void) throws {
        try refuseIfReadOnly("write")
        try openSession(in: "write").write(body)
    }

    /// Throws `.unsupported`, and names PostgreSQL's own tools.
    public func backUp(
        to directory: URL, since previous: URL?, pausingWrites: (() throws -> Void) throws -> Void,
        _ meter: MaintenanceMeter
    ) throws -> BackupReport {
        throw DataStoreError(
            .unsupported, in: "backUp",
            """
            A store in PostgreSQL is backed up with the server's tools: pg_dump --schema=\
            \(names.schema) writes all of it, and pg_basebackup the whole server. A migration \
            copies it into a directory.
            """)
    }

    /// Throws `.unsupported`, and names PostgreSQL's own tools.
    public func compact(_ meter: MaintenanceMeter) throws -> CompactionReport {
        throw DataStoreError(
            .unsupported, in: "compact",
            """
            A store in PostgreSQL is compacted by the server: autovacuum reuses space, and VACUUM FULL \
            \(names.entries) returns it to the system. Nothing was changed.
            """)
    }

    var names: Names { Names(store: configuration.store) }

    func makeViews(_ views: ViewSchema) throws(DataStoreError) {
        try refuseIfReadOnly("makeViews")
        try configuration.validate()
        try Session.makeViews(views, configuration)
    }

    func outcome(of token: CommitToken) throws(DataStoreError) -> CommitOutcome {
        try configuration.validate()
        return try Session.outcome(of: token, configuration)
    }

    private func openSession(in operation: String) throws(DataStoreError) -> Session {
        guard let session = session.withLock({ $0 }) else {
            throw DataStoreError(
                .notSetUp, in: operation, "The PostgreSQL store is not open. Set it up first.")
        }
        return session
    }

    private func refuseIfReadOnly(_ operation: String) throws(DataStoreError) {
        guard configuration.isReadOnly else { return }
        throw DataStoreError(
            .readOnly, in: operation, "The PostgreSQL store was opened read-only.",
            advice: "Open it without isReadOnly to change it.")
    }
}
