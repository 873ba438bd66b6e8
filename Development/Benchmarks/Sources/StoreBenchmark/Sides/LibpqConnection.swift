import CBenchPostgres
import Foundation

/// A connection of libpq, with prepared statements, and with binary parameters and results.
final class LibpqConnection {
    private let pointer: OpaquePointer

    init(_ url: String) throws {
        guard let pointer = PQconnectdb(url) else {
            throw RawError(engine: "libpq", text: "no memory for a connection")
        }
        self.pointer = pointer
        guard PQstatus(pointer) == CONNECTION_OK else { throw failure }
        try run("SET client_min_messages = warning")
    }

    deinit { PQfinish(pointer) }

    private var failure: RawError {
        RawError(engine: "libpq", text: String(cString: PQerrorMessage(pointer)))
    }

    /// Runs statements without parameters.
    func run(_ statements: String) throws { _ = try check(PQexec(pointer, statements)) }

    func prepare(_ name: String, _ statement: String) throws {
        _ = try check(PQprepare(pointer, name, statement, 0, nil))
    }

    /// Runs a prepared statement.
    @discardableResult
    func run(prepared name: String, _ fields: BinaryFields) throws -> LibpqRows {
        try fields.withParameters { values, lengths in
            let formats = [Int32](repeating: 1, count: values.count)
            return try check(
                PQexecPrepared(pointer, name, Int32(values.count), values, lengths, formats, 1))
        }
    }

    /// Runs `body` in a transaction.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try run("BEGIN")
        let result = try body()
        try run("COMMIT")
        return result
    }

    /// Copies rows into a table; `row` adds the fields of each.
    func copy<Row>(
        _ rows: some Sequence<Row>, into table: String, fieldCount: Int16,
        _ row: (Row, inout BinaryFields) -> Void
    ) throws {
        try run("COPY \(table) FROM STDIN (FORMAT binary)")
        var fields = BinaryFields()
        fields.bytes =
            Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + Array(repeating: 0, count: 8)
        func send() throws {
            let isSent = fields.bytes.withUnsafeBytes {
                PQputCopyData(pointer, $0.bindMemory(to: CChar.self).baseAddress, Int32($0.count))
            }
            if isSent != 1 { throw failure }
            fields.bytes.removeAll(keepingCapacity: true)
        }
        for element in rows {
            fields.addWord(fieldCount)
            row(element, &fields)
            if fields.bytes.count >= 64 << 10 { try send() }
        }
        fields.addWord(Int16(-1))
        try send()
        guard PQputCopyEnd(pointer, nil) == 1 else { throw failure }
        while let result = PQgetResult(pointer) { _ = try check(result) }
    }

    private func check(_ result: OpaquePointer?) throws -> LibpqRows {
        let rows = LibpqRows(result)
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_COPY_IN: return rows
        default: throw failure
        }
    }
}

/// The rows of a result, in binary form.
final class LibpqRows {
    private let result: OpaquePointer?
    let count: Int32

    init(_ result: OpaquePointer?) {
        self.result = result
        count = PQntuples(result)
    }

    deinit { PQclear(result) }

    private func value(_ row: Int32, _ column: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
    }

    func text(_ row: Int32, _ column: Int32) -> String {
        String(decoding: value(row, column), as: UTF8.self)
    }

    func number<Number: FixedWidthInteger>(_ row: Int32, _ column: Int32) -> Number {
        Number(bigEndian: value(row, column).loadUnaligned(as: Number.self))
    }

    func id(_ row: Int32, _ column: Int32) -> UUID {
        UUID(uuid: value(row, column).loadUnaligned(as: uuid_t.self))
    }

    func date(_ row: Int32, _ column: Int32) -> Date {
        let microseconds: Int64 = number(row, column)
        return Date(
            timeIntervalSinceReferenceDate: Double(microseconds) / 1e6 - BinaryFields.epoch)
    }
}

/// Values in PostgreSQL's binary form, each after its length: as the fields of COPY, elements of an array, or parameters.
struct BinaryFields {
    var bytes: [UInt8] = []

    /// The seconds from PostgreSQL's reference date, in 2000, to Foundation's.
    static let epoch: Double = 366 * 86_400

    mutating func addWord(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func add(_ value: UnsafeRawBufferPointer) {
        addWord(Int32(value.count))
        bytes.append(contentsOf: value)
    }

    mutating func add(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { add($0) }
    }

    mutating func add(_ number: Double) { add(number.bitPattern) }

    mutating func add(_ flag: Bool) { add(UInt8(flag ? 1 : 0)) }

    mutating func add(_ date: Date) {
        add(Int64(((date.timeIntervalSinceReferenceDate + Self.epoch) * 1e6).rounded()))
    }

    mutating func add(_ id: UUID) { withUnsafeBytes(of: id.uuid) { add($0) } }

    mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }

    /// Adds an array of values of a type, which is an object id of PostgreSQL.
    mutating func add(_ elements: BinaryFields, count: Int, ofType type: Int32) {
        addWord(Int32(20 + elements.bytes.count))
        for number in [1, 0, type, Int32(count), 1] { addWord(number) }
        bytes += elements.bytes
    }

    /// Calls `body` with the values as parameters.
    fileprivate func withParameters<Result>(
        _ body: ([UnsafePointer<CChar>?], [Int32]) throws -> Result
    ) rethrows -> Result {
        try bytes.withUnsafeBytes { bytes in
            var (values, lengths): ([UnsafePointer<CChar>?], [Int32]) = ([], [])
            var place = 0
            while place < bytes.count {
                let length = Int32(
                    bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: Int32.self))
                values.append(
                    bytes.baseAddress.map { ($0 + place + 4).assumingMemoryBound(to: CChar.self) })
                lengths.append(length)
                place += 4 + Int(length)
            }
            return try body(values, lengths)
        }
    }
}
