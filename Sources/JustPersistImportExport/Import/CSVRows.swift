import Foundation
import JustPersist

/// The rows of a CSV file, with values of the columns' kinds.
struct CSVRows: RowSource {
    /// The number of rows of a pipe from which the kinds of columns are inferred.
    static let sampleSize = 1000
    private static let sampleBytes = 16 << 20

    private let source: ByteSource
    private let chunkSize: Int
    private let delimiter: UInt8
    private var parser: CSVParser
    private var isAtStart = true
    private var isAtEnd = false
    /// The rows that were parsed and not returned, the next one last.
    private var cut: [CSVParser.Row] = []
    private(set) var offset = 0
    private let options: CSVOptions
    /// The columns; `nil` for those that are left out.
    private var columns: [CSVColumn?] = []

    /// The rows of a file from its beginning.
    ///
    /// - Parameters:
    ///   - known: The store's schema of the type.
    ///   - mapper: The mapping of the columns.
    init(
        _ source: ByteSource, _ options: CSVOptions, delimiter: UInt8, known: ItemSchema?,
        _ mapper: ItemMapper, chunkSize: Int
    ) throws {
        self.source = source
        self.options = options
        self.chunkSize = chunkSize
        self.delimiter = delimiter
        parser = CSVParser(delimiter: delimiter, trimsBlanks: options.trimsBlanks)
        let names = try names(mapper)
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
            return mapper.kinds(ofColumn: name)
        }
        if kinds.contains([]) {
            let inferred = try inferences(columns: names.count)
            for place in kinds.indices where kinds[place].isEmpty {
                let attribute = mapper.attribute(ofColumn: names[place])
                let stored = known?.attribute(named: attribute)?.storedKinds
                kinds[place] = [inferred[place].kind(storedKinds: stored ?? [])]
            }
        }
        columns = zip(names, kinds).enumerated().map { place, column in
            options.names?[place] == "" ? nil : CSVColumn(name: column.0, kinds: column.1)
        }
    }

    mutating func next() throws -> FileRow? {
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
            guard let column else { continue }
            guard let value = column.value(cell) else {
                throw RowFailure(
                    reason: """
                        “\((cell ?? "").prefix(40))” in the column “\(column.name)” is not of the kind \
                        \(column.kinds.names). If it should be read otherwise, say so (--schema)
                        """, line: row.line)
            }
            members.append((column.name, value))
        }
        return FileRow(line: row.line, members: members)
    }

    mutating func skip() throws -> Bool { try nextRow() != nil }

    // MARK: Columns

    /// The names of the columns, from the options or from the first row.
    private mutating func names(_ mapper: ItemMapper) throws -> [String] {
        var names = options.names ?? options.columns.map(\.name)
        if options.hasHeader {
            guard let header = try nextRow() else { return names }
            if header.isBroken { throw Self.failure("a name is not valid UTF-8", header.line) }
            let found = header.cells.map { $0 ?? "" }
            if options.names == nil {
                names = found
            } else if names.count != found.count {
                throw Self.failure(
                    """
                    \(names.count.counted("name is", "names are")) given, and the file has \
                    \(found.count.counted("column")): \(found.listed)
                    """, 1)
            }
            try checkDelimiter(found)
        } else if names.isEmpty {
            throw Self.failure("without a header the columns must be named (--columns)", 1)
        }
        try check(names, mapper)
        try checkRelations(names, mapper)
        return names
    }

    /// Throws if the columns cannot become attributes of an item.
    private func check(_ names: [String], _ mapper: ItemMapper) throws {
        var seen: Set<String> = []
        for (place, name) in names.enumerated() {
            if options.names != nil, name.isEmpty { continue }
            if !seen.insert(name).inserted {
                let columns =
                    name.isEmpty
                    ? "two columns have no name" : "two columns have the name “\(name)”"
                throw Self.failure("\(columns). Name all columns in their order (--columns)", 1)
            }
            if mapper.names(name) { continue }
            if name.isEmpty {
                throw Self.failure(
                    """
                    the column \(place + 1) has no name. Give it one (--rename '=NAME'), or name all columns in their \
                    order (--columns), where no name leaves a column out
                    """, 1)
            }
            if mapper.drops(name) { continue }
            if let problem = ImportRow.problem(withName: name, isKnown: mapper.knows(name)) {
                throw Self.failure("\(problem.reason). \(problem.advice)", 1)
            }
            // A name that the store knows is valid, and so is a given one.
            if options.hasHeader, options.names == nil, name != Self.trimmed(name),
                !mapper.knows(name)
            {
                throw Self.failure(
                    """
                    the column “\(name)” has blanks around its name. Have those around names and cells taken away \
                    (--trim), or name the attribute (--rename '\(name)=NAME')
                    """, 1)
            }
        }
    }

    /// Throws if a relationship's column is missing, in which case no row would be related.
    private func checkRelations(_ names: [String], _ mapper: ItemMapper) throws {
        for relation in mapper.relations {
            let column = relation.column
            if names.contains(where: { column == $0 || column.hasPrefix($0 + ".") }) { continue }
            throw Self.failure(
                """
                there is no column “\(column)” for the relationship “\(relation.name)”. Name the one that has its values: \
                --relation NAME=TYPE.KEY:COLUMN. The columns are \(names.listed)
                """, 1)
        }
    }

    /// Throws if there is one column because the cells are separated by another character.
    private func checkDelimiter(_ names: [String]) throws {
        guard options.delimiter == nil, names.count == 1 else { return }
        for (character, option) in [(";", "';'"), ("\t", "tab"), ("|", "'|'"), (",", "','")]
        where names[0].contains(character) && character.utf8.first != delimiter {
            throw Self.failure(
                """
                there is one column, “\(names[0].prefix(60).replacing("\t", with: "⇥"))”. Say which character separates the \
                cells: --separator \(option), or --separator \
                \(delimiter == 0x09 ? "tab" : "','") if it is one
                """, 1)
        }
    }

    private static func trimmed(_ text: String) -> String {
        text.trimmingCharacters(in: .whitespaces)
    }

    /// The kinds that fit the cells of the columns: in all rows, or in the first ones of a pipe.
    private mutating func inferences(columns: Int) throws -> [CSVInference] {
        var inferences = Array(repeating: CSVInference(), count: columns)
        func add(_ row: CSVParser.Row) {
            // A row with too many or too few cells is reported when it is imported.
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
        parser = CSVParser(delimiter: delimiter, trimsBlanks: options.trimsBlanks)
        (isAtStart, isAtEnd, offset) = (true, false, 0)
        if options.hasHeader { _ = try nextRow() }
        return inferences
    }

    // MARK: Rows

    private mutating func nextRow() throws -> CSVParser.Row? {
        while cut.isEmpty, !isAtEnd {
            let piece = try nextPiece()
            do throws(CSVParser.Failure) {
                cut = try piece.isEmpty ? parser.finish() : parser.parse(piece)
            } catch {
                // If the header has another separator, quotation marks appear in unexpected places.
                let hint =
                    error.line == 1 && options.delimiter == nil
                    ? ". Or another character separates the cells (--separator)" : ""
                throw Self.failure(error.reason + hint, error.line)
            }
            isAtEnd = piece.isEmpty
            cut.reverse()
        }
        return cut.popLast()
    }

    /// The next text, without a leading byte order mark; empty at the end.
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
