import Foundation
import JustPersist
import JustPersistRecords

/// An open store, from opening to closing.
final class Session: Sendable {
    private let configuration: PostgresConfiguration
    private let names: Names
    private let pool: Pool
    private let forkCount = ForkCount.current
    /// The last commit of the session.
    ///
    /// Its row in the table of commits is written in the same transaction as its changes.
    private let lastCommit = Locked(SessionCommit())

    private let expectedKeys = Locked(ExpectedKeys())

    /// For how many days the rows of commits are kept.
    static let daysKept = 30

    init(_ configuration: PostgresConfiguration) throws(DataStoreError) {
        self.configuration = configuration
        names = Names(store: configuration.store)
        pool = Pool(limit: configuration.connections)
        let connection = try Self.connect(configuration, for: "open")
        try connection.checkDurability(configuration.durability)
        try Schema(names, connection).prepare(configuration)
        try connection.prepare(names)
        _ = pool.enter()
        pool.leave(connection)
    }

    /// Connects; waits for a server that is starting, or for one of several.
    private static func connect(
        _ configuration: PostgresConfiguration, for operation: String
    ) throws(DataStoreError) -> Connection {
        let end = Surroundings.now + .seconds(configuration.connectTimeout)
        while true {
            do throws(DataStoreError) {
                return try Connection(configuration, for: operation)
            } catch {
                // The server is starting, or ending; or another one may take its place.
                guard
                    error.serverState == "57P03"
                        || error.code == .connectionLost && configuration.hosts.count > 1,
                    Surroundings.now < end
                else { throw error }
            }
            Surroundings.sleep(seconds: 0.1)
        }
    }

    /// Deletes a store that is not open.
    static func destroy(_ configuration: PostgresConfiguration) throws(DataStoreError) {
        let connection = try connect(configuration, for: "destroy")
        try Schema(Names(store: configuration.store), connection).destroy()
    }

    /// Replaces the views over a store.
    static func makeViews(
        _ views: ViewSchema, _ configuration: PostgresConfiguration
    ) throws(DataStoreError) {
        let connection = try connect(configuration, for: "makeViews")
        try Schema(Names(store: configuration.store), connection).makeViews(views)
    }

    // MARK: Blocks

    func read(_ body: (any KeyValueReader) throws -> Void) throws {
        let (connection, start) = try begin("read")
        defer { end(connection) }
        let snapshot = Snapshot(on: connection, start, isForWriting: false)
        defer { snapshot.end() }
        try body(RemoteReader(of: snapshot))
    }

    func write(_ body: (any KeyValueWriter) throws -> Void) throws {
        let (connection, start) = try begin("write", locking: names.writer)
        var isOpen = true
        defer { if isOpen { end(connection) } }
        let snapshot = Snapshot(on: connection, start, isForWriting: true)
        defer {
            snapshot.end()
            if !snapshot.shortKeys.isEmpty {
                expectedKeys.withLock { $0.add(snapshot.shortKeys) }
            }
        }
        let overlay = KeyValueOverlay(over: try RemoteReader(of: snapshot))
        try body(overlay)
        if overlay.changes.isEmpty { return }
        try checkProcess(in: "write")
        isOpen = false
        try commit(overlay.changes, on: connection)
    }

    /// Begins a transaction, and reads the first entry in the same round trip.
    ///
    /// A write block also reads the entries that it probably needs.
    ///
    /// Nothing has happened if the connection is lost here, so this connects again.
    private func begin(
        _ operation: String, locking locked: String? = nil
    ) throws(DataStoreError) -> (Connection, Snapshot.Start) {
        try checkProcess(in: operation)
        let keys = locked == nil ? [] : expectedKeys.withLock { $0.keys }
        var end = Surroundings.now + .seconds(configuration.connectTimeout)
        var idle = pool.enter(isWriter: locked != nil)
        while true {
            var attempted = idle
            let isIdle = idle != nil
            do throws(DataStoreError) {
                let connection: Connection
                if let idle {
                    connection = idle
                } else {
                    connection = try connect(operation, until: end)
                }
                attempted = connection
                idle = nil
                connection.operation = operation
                try connection.sendBegin(locking: locked)
                try connection.send(.first)
                if !keys.isEmpty { try connection.send(.found, Parameter.List(keys).bytes) }
                var pages = try connection.end(mayLock: locked != nil).receive()
                let found = keys.isEmpty ? nil : pages.popLast()
                guard let first = pages.last, pages.count > 1 else {
                    throw DataStoreError(
                        .storageFailure, in: operation, "The server did not begin a transaction.")
                }
                return (
                    connection, Snapshot.Start(first: first, expected: found.map { (keys, $0) })
                )
            } catch {
                idle = nil
                if isIdle {
                    pool.dropIdle()
                    // It may have taken long to give this connection up, and no server was asked for another one.
                    end = Surroundings.now + .seconds(configuration.connectTimeout)
                }
                // The server may be a standby that takes over, and one that is full may have room soon.
                let isPassing =
                    error.code == .readOnly && (isIdle || !configuration.isReadOnly)
                    || error.serverState == "53300"
                guard error.code == .connectionLost || isPassing, Surroundings.now < end else {
                    if let attempted { self.end(attempted) } else { pool.leave(nil) }
                    throw error
                }
                if !isIdle { Surroundings.sleep(seconds: 0.1) }
            }
        }
    }

    private func connect(
        _ operation: String, until end: ContinuousClock.Instant
    ) throws(DataStoreError) -> Connection {
        let generation = pool.generation
        let connection = try Connection(configuration, for: operation, until: end)
        connection.generation = generation
        // Its settings may have changed since the store was opened, or it may be another server.
        try connection.checkDurability(configuration.durability)
        try connection.prepare(names)
        connection.deadline = nil
        return connection
    }

    /// Ends a transaction without changes; does not wait for a server, only for a pooler.
    private func end(_ connection: Connection) {
        // The parent process uses the connection of a process that was forked from it.
        if connection.isInherited { return pool.leave(nil) }
        do throws(DataStoreError) {
            // Pages that were not received would keep the transaction open.
            try connection.receiveAll()
        } catch {}
        do throws(DataStoreError) {
            try connection.send("ROLLBACK")
            let answer = try connection.end()
            // A pooler that has the answer and the next request at once might not keep them apart.
            if configuration.pooling == .transaction { _ = try answer.receive() }
            pool.leave(connection)
        } catch {
            pool.leave(nil)
            pool.dropIdle()
        }
    }

    private func checkProcess(in operation: String) throws(DataStoreError) {
        guard ForkCount.current == forkCount else {
            throw DataStoreError(
                .notSetUp, in: operation,
                "The PostgreSQL store was opened by another process, from which this one was forked. Open it here."
            )
        }
    }

    // MARK: Commits

    /// Writes changes and commits them, in one round trip.
    ///
    /// When this returns, they are committed; when it throws, they are not, unless the code is `.commitOutcomeUnknown`.
    private func commit(
        _ changes: OrderedKeyMap<[UInt8]?>, on connection: Connection
    ) throws(DataStoreError) {
        let commit = lastCommit.withLock { last in
            last.number += 1
            return last
        }
        connection.hasCutWaitShort = false
        var isAsked = false
        do throws(DataStoreError) {
            try connection.send(changes)
            try connection.send(.note, commit.session.bytes, Parameter.number(commit.number))
            isAsked = true
            try connection.send("COMMIT")
            let results = try connection.end().receive()
            guard results.last?.tag == "COMMIT" else {
                throw DataStoreError(
                    .storageFailure, in: "write", "The server has not committed the block.")
            }
        } catch {
            // Without the server's own word, the server may have committed.
            if connection.isUsable, error.serverState != nil {
                end(connection)
                throw error
            }
            pool.leave(nil)
            pool.dropIdle()
            // Without a COMMIT, the server rolls back.
            guard isAsked else { throw error }
            connection.giveUp()
            return try settle(commit, after: error)
        }
        // Another thread may use the connection as soon as the pool has it.
        let hasCutWaitShort = connection.hasCutWaitShort
        pool.leave(connection)
        if hasCutWaitShort { try settle(commit, after: nil) }
    }

    /// Finds out whether a commit has happened during which the connection was lost, and returns if it has.
    ///
    /// A commit whose wait for a standby was cut short has happened. If a standby confirms a later one, it has both.
    ///
    /// - Parameter error: The loss of the connection; `nil` if the wait was cut short.
    private func settle(
        _ commit: SessionCommit, after error: DataStoreError?
    ) throws(DataStoreError) {
        let end = Surroundings.now + .seconds(configuration.outcomeTimeout)
        var refusal: DataStoreError?
        repeat {
            let outcome: CommitOutcome
            do throws(DataStoreError) {
                outcome = try commit.outcome(in: names, configuration, until: end)
            } catch {
                refusal = error
                guard [.connectionLost, .busy, .readOnly].contains(error.code) else { break }
                Surroundings.sleep(seconds: 0.1)
                continue
            }
            if outcome == .committed { return }
            if let error, error.code == .connectionLost { throw error }
            throw DataStoreError.connectionLost(error?.engine?.text ?? "", in: "write")
        } while Surroundings.now < end
        // The row of the session keeps the answer, so later commits use another one.
        lastCommit.withLock { $0 = SessionCommit() }
        let message =
            error == nil
            ? """
            The PostgreSQL server has committed the block, but was made to stop waiting for its standby, and no standby has \
            confirmed a later commit within \(configuration.outcomeTimeout) seconds. If the server is lost now, the block may be.
            """
            : """
            The connection to the PostgreSQL server was lost during a commit, and no server has answered the question for \
            the outcome within \(configuration.outcomeTimeout) seconds. The block is committed completely or not at all.
            """
        var unknown = DataStoreError(
            .commitOutcomeUnknown, in: "write", message,
            advice: "outcome(of:) determines it with the error's commitToken."
                + (refusal.map { " The last answer was: \($0.message)" } ?? ""),
            engine: refusal?.engine ?? error?.engine)
        unknown.commitToken = commit.token
        throw unknown
    }

    static func outcome(
        of token: CommitToken, _ configuration: PostgresConfiguration
    ) throws(DataStoreError) -> CommitOutcome {
        guard let commit = SessionCommit(token) else {
            throw DataStoreError(
                .invalidRequest, in: "outcome",
                "The token is not that of a commit of a PostgreSQL store.")
        }
        let seconds =
            configuration.connectTimeout + configuration.lockTimeout + configuration.answerTimeout
        return try commit.outcome(
            in: Names(store: configuration.store), configuration,
            until: Surroundings.now + .seconds(seconds))
    }
}

extension Connection {
    /// Sends the statements for changes, in portions.
    fileprivate func send(_ changes: OrderedKeyMap<[UInt8]?>) throws(DataStoreError) {
        var removed = Parameter.List()
        var (keys, values) = (Parameter.List(), Parameter.List())
        try changes.scan(.all) { (key, value) throws(DataStoreError) in
            if let value {
                keys.append(key)
                values.append(value.span)
                if values.bytes.count + keys.bytes.count >= Statement.answerBytes {
                    try send(.put, keys.bytes, values.bytes)
                    try flush()
                    (keys, values) = (Parameter.List(), Parameter.List())
                }
            } else {
                removed.append(key)
                if removed.bytes.count >= Statement.answerBytes {
                    try send(.remove, removed.bytes)
                    try flush()
                    removed = Parameter.List()
                }
            }
            return .next
        }
        if removed.count > 0 { try send(.remove, removed.bytes) }
        if keys.count > 0 { try send(.put, keys.bytes, values.bytes) }
    }
}
