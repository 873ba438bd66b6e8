import CPostgres
import Foundation
import JustPersist
import JustPersistRecords

/// A connection to the server, in pipeline mode: requests are sent without waiting, and answers received in their order.
// Sendable because one thread at a time uses it: the pool hands it over under its lock.
final class Connection: @unchecked Sendable {
    private let handle: ConnectionHandle
    /// The requests whose answers have not been received, in their order.
    private var waiting: [Answer] = []

    /// The results of the statements of one request.
    final class Answer {
        /// Weak, because the connection holds the answers for which it waits.
        private weak var connection: Connection?
        fileprivate var results: [Page]?
        fileprivate var failure: DataStoreError?

        fileprivate init(of connection: Connection) { self.connection = connection }

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

    /// Connects to one of the servers, which must accept writes unless the store is read-only.
    init(_ configuration: PostgresConfiguration, timeout: Int) throws(DataStoreError) {
        let parameters = configuration.connectionParameters(timeout: timeout)
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
                .storageFailure, in: "open", "There is no memory for a connection.")
        }
        handle = unsafe ConnectionHandle(pointer)
        guard unsafe PQstatus(handle.pointer) == CONNECTION_OK else {
            // Before libpq 14, and for failures of the server during the start, there is no SQLSTATE apart from the text.
            throw Self.failure(connecting: errorText)
        }
        try run(configuration.settings)
    }

    /// The error for a connection that could not be made.
    private static func failure(connecting text: String) -> DataStoreError {
        let states = [
            ("does not exist", "3D000"), ("authentication failed", "28P01"),
            ("no password supplied", "28P01"), ("no pg_hba.conf entry", "28000"),
            ("is not permitted to log in", "28000"), ("too many clients", "53300"),
            ("remaining connection slots", "53300"), ("too many connections", "53300"),
        ]
        guard let state = states.first(where: { text.contains($0.0) })?.1,
            !text.contains("No such file"), !text.contains("Connection refused")
        else { return .connectionLost(text, in: "open") }
        let isRole = state == "3D000" && text.contains("role ")
        return DataStoreError(
            serverState: isRole ? "28000" : state,
            text: text.split(whereSeparator: \.isNewline).joined(separator: " "), in: "open")
    }

    /// Prepares the statements of a store, and enters the pipeline mode.
    func prepare(_ names: Names) throws(DataStoreError) {
        guard unsafe PQenterPipelineMode(handle.pointer) == 1 else { throw lost("open") }
        for statement in Statement.allCases {
            guard
                unsafe PQsendPrepare(
                    handle.pointer, statement.rawValue, statement.text(names), 0, nil) == 1
            else { throw lost("open") }
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
        if handle.isInherited { return false }
        return unsafe PQstatus(handle.pointer) == CONNECTION_OK
    }

    /// Whether the process was forked after the connection was made.
    var isInherited: Bool { handle.isInherited }

    private var errorText: String {
        unsafe PQerrorMessage(handle.pointer).map { unsafe String(cString: $0) } ?? ""
    }

    private func lost(_ operation: String) -> DataStoreError {
        .connectionLost(errorText, in: operation)
    }

    // MARK: Statements before the pipeline mode

    /// Runs statements without parameters, and returns the last one's rows as texts.
    @discardableResult
    func run(_ statements: String) throws(DataStoreError) -> [[String?]] {
        guard let pointer = unsafe PQexec(handle.pointer, statements) else { throw lost("open") }
        let result = unsafe ResultHandle(pointer)
        switch result.status {
        case PGRES_COMMAND_OK: return []
        case PGRES_TUPLES_OK:
            let columns = Int(unsafe PQnfields(result.pointer))
            var rows: [[String?]] = []
            for row in 0..<result.rowCount {
                rows.append((0..<columns).map { result.text(row, $0) })
            }
            return rows
        default:
            guard isUsable else { throw lost("open") }
            throw DataStoreError(result, in: "open")
        }
    }

    // MARK: Requests

    /// Throws in a process that was forked, whose parent uses the connection.
    private func checkProcess(in operation: String) throws(DataStoreError) {
        if isInherited { throw .connectionLost("This process was forked.", in: operation) }
    }

    /// Sends a statement without parameters.
    func send(_ text: String) throws(DataStoreError) {
        try checkProcess(in: "write")
        guard unsafe PQsendQueryParams(handle.pointer, text, 0, nil, nil, nil, nil, 1) == 1 else {
            throw lost("write")
        }
    }

    /// Sends a prepared statement.
    func send(_ statement: Statement, _ parameters: [UInt8]...) throws(DataStoreError) {
        try checkProcess(in: "read")
        let isSent = unsafe Self.withPointers(parameters[...], []) { pointers in
            let lengths = parameters.map { Int32(truncatingIfNeeded: $0.count) }
            let formats = [Int32](repeating: 1, count: parameters.count)
            return unsafe PQsendQueryPrepared(
                handle.pointer, statement.rawValue, Int32(parameters.count), pointers, lengths,
                formats, 1) == 1
        }
        guard isSent else { throw lost("read") }
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
    func end() throws(DataStoreError) -> Answer {
        try checkProcess(in: "read")
        guard unsafe PQpipelineSync(handle.pointer) == 1 else { throw lost("read") }
        let answer = Answer(of: self)
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
        try checkProcess(in: "read")
        guard !waiting.isEmpty else {
            throw DataStoreError(.storageFailure, in: "read", "The server was not asked.")
        }
        let answer = waiting.removeFirst()
        var results: [Page] = []
        var failure: DataStoreError?
        while true {
            guard let pointer = unsafe PQgetResult(handle.pointer) else {
                if isUsable { continue }  // The end of one statement's results.
                failure = failure ?? lost("read")
                break
            }
            let result = unsafe ResultHandle(pointer)
            switch result.status {
            case PGRES_PIPELINE_SYNC:
                answer.failure = failure
                if failure == nil { answer.results = results }
                return
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK: results.append(Page(result))
            case PGRES_PIPELINE_ABORTED: continue
            default:
                if failure == nil {
                    failure = isUsable ? DataStoreError(result, in: "read") : lost("read")
                    // The server explains why it ends a connection.
                    if let state = result.report(Int(UInt8(ascii: "C"))), !state.isEmpty {
                        failure = DataStoreError(result, in: "read")
                    }
                }
            }
        }
        answer.failure = failure
        for other in waiting { other.failure = failure }
        waiting = []
    }
}

/// The rows of a statement.
final class Page: KeyValuePage {
    private let result: ResultHandle
    let count: Int
    /// Set by the request, which knows how many rows it wanted.
    var isLast = true

    init(_ result: consuming ResultHandle) {
        count = result.rowCount
        self.result = result
    }

    var byteCount: Int { Int(unsafe PQresultMemorySize(result.pointer)) }

    var tag: String { result.tag }

    /// The number of bytes of the values.
    var valueBytes: Int { (0..<count).reduce(0) { $0 + result.byteCount($1, 1) } }

    func withEntry(
        at place: Int,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>?) throws(DataStoreError) -> Void
    ) throws(DataStoreError) {
        try result.withBytes(place, 0) { (key) throws(DataStoreError) -> Void in
            guard hasValues, !result.isNull(place, 1) else { return try body(key, nil) }
            try result.withBytes(place, 1) { (value) throws(DataStoreError) -> Void in
                try body(key, value)
            }
        }
    }

    /// The bytes of a value in the first column as text.
    func text(at row: Int) -> String? { result.text(row, 0) }

    private var hasValues: Bool { unsafe PQnfields(result.pointer) > 1 }
}
