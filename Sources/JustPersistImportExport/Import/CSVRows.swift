import JustPersist

/// The rows of a CSV file, with values of the columns' kinds.
struct CSVRows: RowSource {
    /// How many rows of a pipe are looked at to find the kinds of columns.
    static let sampleSize = 1000
    private static let sampleBytes = 16 << 20

    private let source: ByteSource
    private let chunkSize: Int
    private let delimiter: UInt8
    private var parser: CSVParser
    private var isAtStart = true
    private var isAtEnd = false
    /// The rows that were cut and not given out, the next one last.
    private var cut: [CSVParser.Row] = []
    private(set) var offset = 0
    private var columns: [CSVColumn] = []

    /// The rows of a file from its start.
    ///
    /// - Parameter known: What the store knows of the type.
    init(
        _ source: ByteSource, _ options: CSVOptions, delimiter: UInt8, known: ItemSchema?,
        chunkSize: Int
    ) throws {
        self.source = source
        self.chunkSize = chunkSize
        self.delimiter = delimiter
        parser = CSVParser(delimiter: delimiter)
        let names = try names(options)
        var given: [String: Set<DataStoreValue.Kind>] = [:]
        for column in options.columns { given[column.name] = column.kinds.subtracting([.null]) }
        if let missing = options.columns.first(where: { !names.contains($0.name) }) {
            throw RowFailure(
                reason: """
                    there is no column “\(missing.name)”, whose kind is given. The columns are \(names.listed)
                    """, line: 1, endsReading: true)
        }
        var kinds: [Set<DataStoreValue.Kind>] = names.map { name in
            if let kinds = given[name], !kinds.isEmpty { return kinds }
            if name == JSONTag.id { return [.uuid] }
            return known?.attribute(named: JSONTag.attribute(name))?.kinds.subtracting([.null])
                ?? []
        }
        if kinds.contains([]) {
            let inferred = try inferences(columns: names.count, hasHeader: options.hasHeader)
            for place in kinds.indices where kinds[place].isEmpty {
                let stored = known?.attribute(named: JSONTag.attribute(names[place]))?.storedKinds
                kinds[place] = [inferred[place].kind(storedKinds: stored ?? [])]
            }
        }
        columns = zip(names, kinds).map { CSVColumn(name: $0, kinds: $1) }
    }

    mutating func next() throws -> ImportRow? {
        guard let row = try nextRow() else { return nil }
        if row.isBroken {
            throw RowFailure(reason: "a cell is not valid UTF-8", line: row.line)
        }
        guard row.cells.count == columns.count else {
            throw RowFailure(
                reason:
                    "the row has \(row.cells.count.counted("cell")), and there \(columns.count == 1 ? "is" : "are") \(columns.count.counted("column"))",
                line: row.line)
        }
        var members: [ImportRow.Member] = []
        members.reserveCapacity(columns.count)
        for (column, cell) in zip(columns, row.cells) {
            guard let value = column.value(cell) else {
                throw RowFailure(
                    reason: """
                        “\((cell ?? "").prefix(40))” in the column “\(column.name)” is not of the kind \
                        \(column.kindNames). If it should be read otherwise, say so (--schema)
                        """, line: row.line)
            }
            members.append((column.name, value))
        }
        return try ImportRow(line: row.line, members)
    }

    mutating func skip() throws -> Bool { try nextRow() != nil }

    // MARK: Columns

    /// The names of the columns, from the first row or as they are given.
    private mutating func names(_ options: CSVOptions) throws -> [String] {
        var names = options.columns.map(\.name)
        if options.hasHeader {
            guard let header = try nextRow() else { return names }
            if header.isBroken { throw Self.failure("a name is not valid UTF-8", header.line) }
            names = header.cells.map { $0 ?? "" }
        } else if names.isEmpty {
            throw Self.failure("without a header the columns must be named (--schema)", 1)
        }
        var seen: Set<String> = []
        for name in names {
            if let problem = ImportRow.problem(withName: name) { throw Self.failure(problem, 1) }
            if !seen.insert(name).inserted {
                throw Self.failure("two columns have the name “\(name)”", 1)
            }
        }
        return names
    }

    /// What the cells of the columns can be: of all rows, or of the first ones of a pipe.
    private mutating func inferences(columns: Int, hasHeader: Bool) throws -> [CSVInference] {
        var inferences = Array(repeating: CSVInference(), count: columns)
        func add(_ row: CSVParser.Row) {
            // What does not fit in is told when it is read.
            guard row.cells.count == columns else { return }
            for (place, cell) in row.cells.enumerated() { inferences[place].add(cell) }
        }
        guard source.canRestart else {
            var sample: [CSVParser.Row] = []
            while sample.count < Self.sampleSize, offset < Self.sampleBytes,
                let row = try nextRow()
            {
                add(row)
                sample.append(row)
            }
            cut += sample.reversed()
            return inferences
        }
        while let row = try nextRow() { add(row) }
        try source.restart(at: 0)
        parser = CSVParser(delimiter: delimiter)
        (isAtStart, isAtEnd, offset) = (true, false, 0)
        if hasHeader { _ = try nextRow() }
        return inferences
    }

    // MARK: Rows

    private mutating func nextRow() throws -> CSVParser.Row? {
        while cut.isEmpty, !isAtEnd {
            let piece = try nextPiece()
            do throws(CSVParser.Failure) {
                cut = try piece.isEmpty ? parser.finish() : parser.parse(piece)
            } catch {
                throw Self.failure(error.reason, error.line)
            }
            isAtEnd = piece.isEmpty
            cut.reverse()
        }
        return cut.popLast()
    }

    /// More text, without a byte order mark in front; empty at the end.
    private mutating func nextPiece() throws -> [UInt8] {
        var piece: [UInt8] = []
        repeat {
            guard let more = try source.next(upTo: chunkSize) else { break }
            offset += more.count
            piece += more
        } while isAtStart && piece.count < 3
        guard isAtStart else { return piece }
        isAtStart = false
        if piece.starts(with: [0xef, 0xbb, 0xbf]) {
            piece.removeFirst(3)
            return piece.isEmpty ? try nextPiece() : piece
        }
        if piece.starts(with: [0xff, 0xfe]) || piece.starts(with: [0xfe, 0xff]) {
            throw Self.failure("the file is UTF-16. Save it as UTF-8", 1)
        }
        return piece
    }

    private static func failure(_ reason: String, _ line: Int) -> RowFailure {
        RowFailure(reason: reason, line: line, endsReading: true)
    }
}

extension ItemSchema {
    /// The attribute that has the name, or had it in an earlier release.
    func attribute(named name: String) -> AttributeSchema? {
        index(ofAttribute: name).map { attributes[$0] }
            ?? attributes.first { $0.formerNames.contains(name) }
    }
}
