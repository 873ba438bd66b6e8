import CPostgres
import JustPersist

/// Owns a connection of libpq, and closes it at the end of its lifetime.
@safe struct ConnectionHandle: ~Copyable {
    let pointer: OpaquePointer
    private let forkCount = ForkCount.current

    init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

    /// Whether the process was forked after the connection was made, so that it belongs to the parent.
    var isInherited: Bool { forkCount != ForkCount.current }

    var isConnected: Bool { unsafe PQstatus(pointer) == CONNECTION_OK }

    /// libpq's text about the last failure.
    var errorText: String {
        unsafe PQerrorMessage(pointer).map { unsafe String(cString: $0) } ?? ""
    }

    deinit {
        // Closing it would end the parent's session on the server.
        if !isInherited { unsafe PQfinish(pointer) }
    }
}

/// Owns a result of libpq, and frees it at the end of its lifetime.
@safe struct ResultHandle: ~Copyable {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe PQclear(pointer) }

    var status: ExecStatusType { unsafe PQresultStatus(pointer) }

    var rowCount: Int { Int(unsafe PQntuples(pointer)) }

    /// What the server did: `COMMIT`, or `ROLLBACK` in place of it.
    var tag: String { unsafe PQcmdStatus(pointer).map { unsafe String(cString: $0) } ?? "" }

    /// A value as text; `nil` for NULL.
    func text(_ row: Int, _ column: Int) -> String? {
        guard unsafe PQgetisnull(pointer, Int32(row), Int32(column)) == 0,
            let bytes = unsafe PQgetvalue(pointer, Int32(row), Int32(column))
        else { return nil }
        return unsafe String(cString: bytes)
    }

    /// A part of the server's error report.
    ///
    /// The details of a report are never read, because they may contain keys and values.
    func report(_ field: Int) -> String? {
        unsafe PQresultErrorField(pointer, Int32(field)).map { unsafe String(cString: $0) }
    }

    func isNull(_ row: Int, _ column: Int) -> Bool {
        unsafe PQgetisnull(pointer, Int32(row), Int32(column)) != 0
    }

    func byteCount(_ row: Int, _ column: Int) -> Int {
        Int(unsafe PQgetlength(pointer, Int32(row), Int32(column)))
    }

    /// Calls `body` with the bytes of a value; none for NULL.
    @inline(__always)
    func withBytes<Result, Failure: Error>(
        _ row: Int, _ column: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let count = byteCount(row, column)
        guard let start = unsafe PQgetvalue(pointer, Int32(row), Int32(column)) else {
            return try body(Span())
        }
        // SAFETY: the bytes belong to the result, which lives until this returns.
        let raw = unsafe UnsafeRawBufferPointer(start: start, count: count)
        return try body(unsafe Span(_unsafeElements: raw.assumingMemoryBound(to: UInt8.self)))
    }
}
