import CCSV

/// Splits text into the rows of CSV (RFC 4180), with libcsv.
@safe final class CSVParser {
    /// One row: a cell for each value, `nil` for an empty cell without quotes.
    struct Row {
        let cells: [String?]
        /// The number of the line that it begins on, counted from 1.
        let line: Int
        /// Whether a cell is not valid UTF-8.
        let isBroken: Bool
    }

    struct Failure: Error {
        let reason: String
        let line: Int
    }

    /// The maximum size of a row in bytes.
    static let rowLimit = ImportRow.mostBytes

    // SAFETY: libcsv keeps no pointer to its structure, but its address must be the same in each call.
    private let parser = UnsafeMutablePointer<csv_parser>.allocate(capacity: 1)
    private let isReady: Bool
    private let rows: RowCollector
    /// A failure that is thrown once the rows before it were returned.
    private var failed: Failure?

    /// A parser of text whose first line has the given number.
    ///
    /// - Parameter trimsBlanks: Whether blanks next to the delimiters are removed.
    init(delimiter: UInt8, trimsBlanks: Bool = false, line: Int = 1) {
        rows = RowCollector(line: line)
        unsafe parser.initialize(to: csv_parser())
        let options = CSV_STRICT | CSV_STRICT_FINI | CSV_EMPTY_IS_NULL | CSV_REPALL_NL
        isReady = unsafe csv_init(parser, UInt8(options)) == 0
        guard isReady else { return }
        unsafe csv_set_delim(parser, delimiter)
        if !trimsBlanks { unsafe csv_set_space_func(parser) { _ in 0 } }
        // libcsv grows its buffer in steps, each of which may copy the cell.
        unsafe csv_set_blk_size(parser, 1 << 16)
    }

    deinit {
        if isReady { unsafe csv_free(parser) }
        unsafe parser.deallocate()
    }

    /// The rows that end in the next piece of text, in their order.
    func parse(_ text: [UInt8]) throws(Failure) -> [Row] {
        if let failed { throw failed }
        try check(isReady ? nil : "there is no memory to read it")
        // SAFETY: the text and the collector outlive the call, in which alone libcsv uses them.
        let taken = unsafe text.withUnsafeBytes { text in
            unsafe csv_parse(
                parser, text.baseAddress, text.count, Self.endCell, Self.endRow,
                Unmanaged.passUnretained(rows).toOpaque())
        }
        if taken < text.count {
            let (failure, before) = (failure, rows.take())
            guard !before.isEmpty else { throw failure }
            failed = failure
            return before
        }
        try check(rows.problem)
        // A row needs a few bytes more than its cells have so far.
        if unsafe csv_get_buffer_size(parser) > Self.rowLimit + (1 << 20) {
            try check(RowCollector.tooLarge)
        }
        return rows.take()
    }

    /// Returns the last row, if the text ends without a line end.
    func finish() throws(Failure) -> [Row] {
        if let failed { throw failed }
        // SAFETY: as above.
        let status = unsafe csv_fini(
            parser, Self.endCell, Self.endRow, Unmanaged.passUnretained(rows).toOpaque())
        if status != 0 { throw failure }
        try check(rows.problem)
        return rows.take()
    }

    private static let endCell:
        @convention(c) (UnsafeMutableRawPointer?, Int, UnsafeMutableRawPointer?) -> Void = {
            bytes, count, rows in
            // SAFETY: libcsv passes on the collector that it was given, and the bytes of the cell.
            guard let rows = unsafe rows else { return }
            unsafe Unmanaged<RowCollector>.fromOpaque(rows).takeUnretainedValue().endCell(
                UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
        }

    private static let endRow: @convention(c) (Int32, UnsafeMutableRawPointer?) -> Void = {
        terminator, rows in
        // SAFETY: libcsv passes on the collector that it was given.
        guard let rows = unsafe rows else { return }
        unsafe Unmanaged<RowCollector>.fromOpaque(rows).takeUnretainedValue().endRow(terminator)
    }

    private func check(_ problem: String?) throws(Failure) {
        if let problem { throw Failure(reason: problem, line: rows.line) }
    }

    private var failure: Failure {
        let reason =
            unsafe csv_error(parser) == CSV_EPARSE
            ? """
            a quotation mark is not where it may be, or the one that ends a cell is missing. A cell with one in it \
            stands in quotation marks, and it is written twice
            """ : "there is no memory to read the row"
        return Failure(reason: reason, line: rows.line)
    }
}

/// The rows that libcsv has parsed so far.
private final class RowCollector {
    static let tooLarge =
        "a row has more than \(CSVParser.rowLimit >> 20) MiB, which is the limit. Perhaps a quotation mark is missing"

    /// The line on which the open row begins.
    private(set) var line: Int
    private(set) var problem: String?
    private var rows: [CSVParser.Row] = []
    private var cells: [String?] = []
    private var isBroken = false
    private var bytes = 0
    /// The number of line ends in the cells of the open row.
    private var innerLines = 0
    private var lastTerminator: Int32 = 0

    init(line: Int) { self.line = line }

    func take() -> [CSVParser.Row] {
        defer { rows.removeAll(keepingCapacity: true) }
        return rows
    }

    /// Adds a cell, whose bytes have no address if it is empty and without quotes.
    func endCell(_ text: UnsafeRawBufferPointer) {
        guard unsafe text.baseAddress != nil else {
            cells.append(nil)
            return
        }
        let count = text.count
        bytes += count
        guard bytes <= CSVParser.rowLimit else {
            problem = Self.tooLarge
            return
        }
        if let cell = unsafe String(validating: text, as: UTF8.self) {
            add(cell)
        } else {
            isBroken = true
            add(unsafe String(decoding: text, as: UTF8.self))
        }
    }

    private func add(_ cell: String) {
        cells.append(cell)
        var wasReturn = false
        for byte in cell.utf8 {
            if byte == 0x0d || byte == 0x0a && !wasReturn { innerLines += 1 }
            wasReturn = byte == 0x0d
        }
    }

    /// Ends a row; also for an empty line, and between the two characters of CR LF.
    func endRow(_ terminator: Int32) {
        defer { lastTerminator = terminator }
        if cells.isEmpty {
            if terminator == CSV_CR || lastTerminator != CSV_CR { line += 1 }
            return
        }
        rows.append(CSVParser.Row(cells: cells, line: line, isBroken: isBroken))
        line += 1 + innerLines
        innerLines = 0
        bytes = 0
        isBroken = false
        cells.removeAll(keepingCapacity: true)
    }
}
