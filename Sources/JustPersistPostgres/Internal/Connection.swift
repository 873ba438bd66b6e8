import CPostgres
import Foundation
import JustPersist
import JustPersistRecords

/// A connection to the server, in pipeline mode: requests are sent without waiting, and answers received in their order.
// Sendable because one thread at a time uses it: the pool hands it over under its lock.
final class Connection: @unchecked Sendable {
    private let handle: ConnectionHandle
    /// The seconds without a byte in either direction after which the server is given up.
    private let silenceLimit: Int
    /// The seconds for which the server may wait for a lock, and be silent meanwhile.
    private let lockTimeout: Int
    /// The time at which the server is given up, whatever it has sent; `nil` for none.
    var deadline: ContinuousClock.Instant?
    /// The query for the settings of each transaction, if a pooler gives each one a connection of its choice; else `nil`.
    private let settingsOfTransactions: String?
    /// The statements to send with each request; empty if the server has prepared them.
    private var texts: [Statement: String] = [:]
    /// The call for which the connection is used.
    var operation: String
    /// Whether the server was given up.
    private var isGivenUp = false
    /// The number that the pool gives to the connections between two losses.
    var generation = 0
    /// Whether a commit survives a loss of power, as far as the server's settings say.
    private var keepsCommits = true
    /// Whether the server has acknowledged a commit without waiting for its standby to the end.
    ///
    /// It has been committed there, and only there if the standby was not reached.
    var hasCutWaitShort = false
    /// The requests whose answers have not been received, in their order.
    private var waiting: [Answer] = []

    /// The results of the statements of one request.
    final class Answer {
        /// Weak, because the connection holds the answers for which it waits.
        private weak var connection: Connection?
        /// The seconds for which the server may be silent.
        fileprivate let silenceLimit: Int
        fileprivate var results: [Page]?
        fileprivate var failure: DataStoreError?

        fileprivate init(of connection: Connection, silenceLimit: Int) {
            self.connection = connection
            self.silenceLimit = silenceLimit
        }

        /// Waits for the results.
        func receive() throws(DataStoreError) -> [Page] {
            while results == nil, failure == nil {
                guard let connection else {
                    throw DataStoreError(
                        .blockEnded, in: "read", "The connection of the request was closed.")
                }
                try connection.receiveNext()
            }
            if let failure { throw failure }
            return results ?? []
        }
    }

    // MARK: Opening

    /// Connects to the server, or to the first of several that accepts writes.
    ///
    /// - Parameter deadline: The time at which connecting, and all requests until ``deadline`` is set to `nil`, are given
    ///   up; `nil` if each of them has its own limit only.
    init(
        _ configuration: PostgresConfiguration, for operation: String,
        until deadline: ContinuousClock.Instant? = nil
    ) throws(DataStoreError) {
        self.operation = operation
        self.deadline = deadline
        silenceLimit = configuration.answerTimeout
        lockTimeout = configuration.lockTimeout
        let isPooled = configuration.pooling == .transaction
        settingsOfTransactions = isPooled ? configuration.settings(ofTransaction: true) : nil
        let end = Surroundings.now + .seconds(configuration.connectTimeout)
        handle = try Self.connect(configuration, operation, until: min(end, deadline ?? end))
        unsafe PQsetnonblocking(handle.pointer, 1)
        receiveNotices()
        let settings = isPooled ? "" : configuration.settings(ofTransaction: false) + ";"
        let guarantees = try run(settings + PostgresConfiguration.guarantees).first ?? []
        keepsCommits = !guarantees.contains("off")
    }

    /// Connects to the first server that accepts the connection.
    ///
    /// Each is tried by itself, because libpq tries no other one after a server that refuses the user, and its text does
    /// not show which server is the reason for which part of it.
    private static func connect(
        _ configuration: PostgresConfiguration, _ operation: String,
        until end: ContinuousClock.Instant
    ) throws(DataStoreError) -> ConnectionHandle {
        let servers: [PostgresConfiguration.Host?] =
            configuration.hosts.isEmpty ? [nil] : configuration.hosts
        var refusal: DataStoreError?
        var loss: DataStoreError?
        for (place, server) in servers.enumerated() {
            let left = (end - Surroundings.now) / .seconds(1)
            // A server that was not tried may accept the connection later.
            if place > 0, left <= 0 {
                loss = loss ?? .connectionLost("", in: operation)
                break
            }
            // libpq waits for two seconds at least.
            let share = max(2, Int(left) / (servers.count - place))
            do throws(DataStoreError) {
                return try connect(
                    configuration.connectionParameters(to: server, timeout: share), operation,
                    until: Surroundings.now + .seconds(share))
            } catch {
                if error.code == .connectionLost {
                    loss = loss ?? error
                } else {
                    refusal = refusal ?? error
                }
            }
        }
        // So may a server that could not be reached.
        throw loss ?? refusal ?? .connectionLost("", in: operation)
    }

    /// Connects to one server.
    ///
    /// - Parameter end: The time from which a failed attempt is not repeated for its reason.
    private static func connect(
        _ parameters: [(String, String)], _ operation: String, until end: ContinuousClock.Instant
    ) throws(DataStoreError) -> ConnectionHandle {
        let pointer = unsafe Self.withCStrings(parameters.map(\.0) + parameters.map(\.1)) {
            (strings) -> OpaquePointer? in
            var names = unsafe Array(strings.prefix(parameters.count))
            var values = unsafe Array(strings.dropFirst(parameters.count))
            unsafe names.append(nil)
            unsafe values.append(nil)
            return unsafe PQconnectdbParams(names, values, 0)
        }
        guard let pointer = unsafe pointer else {
            throw DataStoreError(
                .storageFailure, in: operation, "There is no memory for a connection.")
        }
        let handle = unsafe ConnectionHandle(pointer)
        if handle.isConnected { return handle }
        let text = handle.errorText
        var state: String?
        if unsafe PQconnectionNeedsPassword(pointer) == 1 {
            state = "28P01"
        } else if Surroundings.now < end {
            // libpq has an SQLSTATE for a connection that failed only in the text of this second failure. The rest of the
            // texts is in the language of the server and of the program.
            unsafe PQsetErrorVerbosity(pointer, PQERRORS_VERBOSE)
            unsafe PQreset(pointer)
            if handle.isConnected { return handle }
            state = DataStoreError.states(inVerbose: handle.errorText).first
        }
        guard let state else { throw .connectionLost(text, in: operation) }
        throw DataStoreError(
            serverState: state,
            text: text.split(whereSeparator: \.isNewline).joined(separator: " "), in: operation)
    }

    /// Prepares the statements of a store, and enters the pipeline mode.
    func prepare(_ names: Names) throws(DataStoreError) {
        guard unsafe PQenterPipelineMode(handle.pointer) == 1 else { throw lost() }
        // A statement is prepared in a connection of the server, which a pooler may exchange.
        if settingsOfTransactions != nil {
            for statement in Statement.allCases { texts[statement] = statement.text(names) }
            return
        }
        for statement in Statement.allCases {
            guard
                unsafe PQsendPrepare(
                    handle.pointer, statement.rawValue, statement.text(names), 0, nil) == 1
            else { throw lost() }
        }
        _ = try end().receive()
    }

    private static func withCStrings<Result>(
        _ texts: [String], _ body: ([UnsafePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = unsafe texts.map { unsafe strdup($0) }
        defer { unsafe copies.forEach { unsafe free($0) } }
        return unsafe body(copies.map { unsafe UnsafePointer($0) })
    }

    // MARK: State

    /// Whether the connection can be used.
    var isUsable: Bool {
        !handle.isInherited && !isGivenUp && handle.isConnected
    }

    /// Whether the process was forked after the connection was made.
    var isInherited: Bool { handle.isInherited }

    /// Ends the connection at once, also for a server that the end of a statement has not reached.
    ///
    /// Such a server would otherwise hold the lock of writers for as long as it may wait for the rest.
    func giveUp() {
        if isInherited { return }
        isGivenUp = true
        _ = unsafe shutdown(PQsocket(handle.pointer), Int32(SHUT_RDWR))
    }

    private func lost() -> DataStoreError { .connectionLost(handle.errorText, in: operation) }

    // MARK: Statements before the pipeline mode

    /// Runs statements without parameters, and returns the last one's rows as texts.
    @discardableResult
    func run(_ statements: String) throws(DataStoreError) -> [[String?]] {
        guard unsafe PQsendQuery(handle.pointer, statements) == 1 else { throw lost() }
        var rows: [[String?]] = []
        var failure: DataStoreError?
        while true {
            // These statements may wait for a lock.
            try exchange(silenceLimit: silenceLimit + lockTimeout)
            guard let pointer = unsafe PQgetResult(handle.pointer) else { break }
            let result = unsafe ResultHandle(pointer)
            switch result.status {
            case PGRES_COMMAND_OK: rows = []
            case PGRES_TUPLES_OK:
                let columns = Int(unsafe PQnfields(result.pointer))
                rows = (0..<result.rowCount).map { row in
                    (0..<columns).map { result.text(row, $0) }
                }
            default: failure = failure ?? self.failure(result)
            }
        }
        if let failure { throw failure }
        return rows
    }

    /// The error for a failed result.
    private func failure(_ result: borrowing ResultHandle) -> DataStoreError {
        // The server explains why it ends a connection.
        let state = result.report(Int(UInt8(ascii: "C"))) ?? ""
        return isUsable || !state.isEmpty ? DataStoreError(result, in: operation) : lost()
    }

    /// Throws if a commit would not survive a loss of power.
    func checkDurability(_ durability: Durability) throws(DataStoreError) {
        guard durability == .full, !keepsCommits else { return }
        throw DataStoreError(
            .unsupported, in: operation,
            """
            The PostgreSQL server runs with fsync or full_page_writes off, so a loss of power can destroy the store. Turn \
            them on, or open the store with durability=relaxed. Nothing was changed.
            """)
    }

    // MARK: Requests

    /// Throws in a process that was forked, whose parent uses the connection.
    private func checkProcess() throws(DataStoreError) {
        if isInherited { throw .connectionLost("This process was forked.", in: operation) }
    }

    /// The statements that begin a transaction of single statements.
    var begin: String {
        "BEGIN ISOLATION LEVEL READ COMMITTED;" + (settingsOfTransactions.map { $0 + ";" } ?? "")
    }

    /// Sends the statements that begin a transaction of a block.
    ///
    /// - Parameter locked: The table to lock in a write block; `nil` in a read block. A lock is no query: the snapshot is
    ///   taken by the first query, when the lock is held. So the block sees the newest state, and runs once.
    func sendBegin(locking locked: String?) throws(DataStoreError) {
        try send("BEGIN ISOLATION LEVEL REPEATABLE READ" + (locked == nil ? " READ ONLY" : ""))
        if let locked {
            if settingsOfTransactions != nil {
                try send("SET LOCAL lock_timeout = \(lockTimeout * 1_000)")
            }
            try send("LOCK TABLE \(locked) IN EXCLUSIVE MODE")
        }
        if let settingsOfTransactions { try send(settingsOfTransactions) }
    }

    /// Sends a statement without parameters.
    func send(_ text: String) throws(DataStoreError) {
        try checkProcess()
        guard unsafe PQsendQueryParams(handle.pointer, text, 0, nil, nil, nil, nil, 1) == 1 else {
            throw lost()
        }
    }

    /// Sends a prepared statement.
    func send(_ statement: Statement, _ parameters: [UInt8]...) throws(DataStoreError) {
        try checkProcess()
        let isSent = unsafe Self.withPointers(parameters[...], []) { pointers in
            let lengths = parameters.map { Int32(truncatingIfNeeded: $0.count) }
            let formats = [Int32](repeating: 1, count: parameters.count)
            if let text = texts[statement] {
                return unsafe PQsendQueryParams(
                    handle.pointer, text, Int32(parameters.count), nil, pointers, lengths, formats,
                    1) == 1
            }
            return unsafe PQsendQueryPrepared(
                handle.pointer, statement.rawValue, Int32(parameters.count), pointers, lengths,
                formats, 1) == 1
        }
        guard isSent else { throw lost() }
    }

    /// Calls `body` with pointers to the bytes of all parameters.
    private static func withPointers<Result>(
        _ parameters: ArraySlice<[UInt8]>, _ pointers: [UnsafePointer<CChar>?],
        _ body: ([UnsafePointer<CChar>?]) -> Result
    ) -> Result {
        guard let first = parameters.first else { return unsafe body(pointers) }
        return unsafe first.withUnsafeBytes { bytes in
            // An empty value must not be NULL.
            let pointer =
                unsafe bytes.baseAddress.map { unsafe $0.assumingMemoryBound(to: CChar.self) }
                ?? Self.empty
            return unsafe withPointers(parameters.dropFirst(), pointers + [pointer], body)
        }
    }

    // SAFETY: one byte that is never written.
    private nonisolated(unsafe) static let empty = unsafe UnsafePointer(
        UnsafeMutablePointer<CChar>.allocate(capacity: 1))

    /// Ends a request, whose statements were sent, without waiting.
    ///
    /// - Parameter mayLock: Whether the server may wait for a lock.
    func end(mayLock: Bool = false) throws(DataStoreError) -> Answer {
        try checkProcess()
        guard unsafe PQpipelineSync(handle.pointer) == 1 else { throw lost() }
        let answer = Answer(
            of: self, silenceLimit: silenceLimit + (mayLock ? lockTimeout : 0))
        waiting.append(answer)
        return answer
    }

    /// Receives the answers that have not been received.
    func receiveAll() throws(DataStoreError) {
        var failure: DataStoreError?
        while !waiting.isEmpty {
            do throws(DataStoreError) { try receiveNext() } catch { failure = error }
            if !isUsable { break }
        }
        if let failure { throw failure }
    }

    /// Receives the answer to the oldest request.
    fileprivate func receiveNext() throws(DataStoreError) {
        try checkProcess()
        guard !waiting.isEmpty else {
            throw DataStoreError(.storageFailure, in: "read", "The server was not asked.")
        }
        let answer = waiting.removeFirst()
        do throws(DataStoreError) {
            try receive(answer)
        } catch {
            answer.failure = error
            for other in waiting { other.failure = error }
            waiting = []
        }
    }

    /// Receives an answer; throws if the connection is lost.
    private func receive(_ answer: Answer) throws(DataStoreError) {
        var results: [Page] = []
        var failure: DataStoreError?
        while true {
            try exchange(silenceLimit: answer.silenceLimit)
            guard let pointer = unsafe PQgetResult(handle.pointer) else {
                if isUsable { continue }  // The end of one statement's results.
                throw failure ?? lost()
            }
            let result = unsafe ResultHandle(pointer)
            switch result.status {
            case PGRES_PIPELINE_SYNC:
                answer.failure = failure
                if failure == nil { answer.results = results }
                return
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK: results.append(Page(result))
            case PGRES_PIPELINE_ABORTED: continue
            default: failure = failure ?? self.failure(result)
            }
        }
    }

    /// Sends what was queued, so that it does not collect in memory.
    func flush() throws(DataStoreError) {
        try exchange(silenceLimit: silenceLimit, awaitsResult: false)
    }

    // MARK: The socket

    /// Sends and receives until a result is here, or until everything is sent.
    ///
    /// The next result says so if the connection is lost meanwhile.
    ///
    /// - Throws: `.connectionLost` if no byte has passed in either direction for too long, or at the deadline.
    private func exchange(silenceLimit: Int, awaitsResult: Bool = true) throws(DataStoreError) {
        if isGivenUp { throw silence(.seconds(silenceLimit)) }
        var lastByte = Surroundings.now
        // The library may have more bytes than the socket if the connection is encrypted, and does not say how many.
        let isEncrypted =
            unsafe PQsslInUse(handle.pointer) == 1 || PQgssEncInUse(handle.pointer) == 1
        while true {
            if isEncrypted, unsafe PQconsumeInput(handle.pointer) == 0 { return }
            let unsent = unsafe PQflush(handle.pointer)
            if unsent < 0 { return }
            if awaitsResult ? unsafe PQisBusy(handle.pointer) == 0 : unsent == 0 { return }
            let events = Int16(POLLIN) | (unsent > 0 ? Int16(POLLOUT) : 0)
            var socket = pollfd(fd: unsafe PQsocket(handle.pointer), events: events, revents: 0)
            let now = Surroundings.now
            if let deadline, now >= deadline { throw late() }
            let silenceEnd = lastByte + .seconds(silenceLimit)
            let left = max(.zero, min(silenceEnd, deadline ?? silenceEnd) - now)
            let milliseconds = (left / .milliseconds(1)).rounded(.up)
            let ready = unsafe poll(&socket, 1, Int32(min(milliseconds, isEncrypted ? 50 : 1e6)))
            if ready < 0, errno != EINTR { return }
            if ready > 0 {
                if socket.revents != Int16(POLLOUT), unsafe PQconsumeInput(handle.pointer) == 0 {
                    return
                }
                lastByte = Surroundings.now
            } else if left == .zero {
                throw silence(Surroundings.now - lastByte)
            }
        }
    }

    /// Gives a silent server up, and returns the error.
    private func silence(_ duration: Duration) -> DataStoreError {
        let seconds = duration.components.seconds
        return givenUp(
            "has kept the connection open and not answered for \(seconds) seconds",
            advice: " The option “answerTimeout” allows more.",
            text: "no answer for \(seconds) seconds")
    }

    /// Gives the server up at the deadline, and returns the error.
    private func late() -> DataStoreError {
        givenUp("has not answered in time", advice: "", text: "no answer before the deadline")
    }

    private func givenUp(_ reason: String, advice: String, text: String) -> DataStoreError {
        isGivenUp = true
        return DataStoreError(
            .connectionLost, in: operation,
            """
            The PostgreSQL server \(reason), so the connection was given up. \
            \(DataStoreError.consequence(ofLossIn: operation))\(advice)
            """,
            engine: DataStoreError.EngineFailure(name: PostgresEngine.name, text: text))
    }

    /// Receives the server's warnings, which libpq would write to standard error.
    private func receiveNotices() {
        // SAFETY: libpq calls it while it works on the connection, which this object owns.
        unsafe PQsetNoticeReceiver(
            handle.pointer,
            { connection, notice in
                guard let connection = unsafe connection, let notice = unsafe notice else { return }
                let function = unsafe PQresultErrorField(notice, Int32(UInt8(ascii: "R")))
                // The name of the function is in no language.
                guard let function = unsafe function,
                    unsafe String(cString: function) == "SyncRepWaitForLSN"
                else { return }
                unsafe Unmanaged<Connection>.fromOpaque(connection).takeUnretainedValue()
                    .hasCutWaitShort = true
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
