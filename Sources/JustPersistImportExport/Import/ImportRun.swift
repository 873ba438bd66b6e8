import JustPersist

/// One run of an import: reads rows of any format from a source, and writes them to the store in batches.
struct ImportRun {
    private let settings: ItemImport
    private let source: ByteSource
    private let totalBytes: Int?
    private let store: any DataStore
    private var rows: any RowSource
    private let mapper: ItemMapper
    private var writer: RowsWriter
    private(set) var report = ItemImport.Report()
    /// The number of rows from the beginning of the file that were stored or left out.
    private var rowsDone: Int
    /// The number of rows that were read.
    private var rowsRead: Int
    /// The rows that refer to later ones.
    private var deferred: [ImportRow] = []
    private var isWritingDeferred = false
    /// A batch ends after this many bytes of text.
    private static let batchBytes = 16 << 20

    /// An import of the rows of a source, after those that the settings skip.
    ///
    /// - Parameter progress: Called while the kinds of columns are inferred and rows are skipped.
    init(
        _ settings: ItemImport, _ source: ByteSource, size: Int?, into store: any DataStore,
        _ progress: (ItemImport.Progress) throws -> Void
    ) throws {
        self.settings = settings
        self.source = source
        self.store = store
        totalBytes = size
        rowsDone = settings.skipping
        rowsRead = settings.skipping
        let schemas = try store.read { db in try db.schemas() }
        let known = schemas.schema(ofType: settings.itemType)
        mapper = try ItemMapper(
            ItemType(dynamic: known?.itemTypeKey ?? settings.itemType), settings.mapping,
            key: settings.key,
            relations: settings.relations, schemas: schemas)
        report.relationsWithoutValues = Set(settings.relations.map(\.name))
        report.keyPathsWithoutValues = Set(mapper.rules.flatMap(\.keyPaths))
        writer = RowsWriter(mapper, skipsBadRows: settings.onError == .skip, store)
        if mapper.key != nil { try writer.checkKey(known) }
        try writer.checkRelations(schemas)
        do {
            let mapper = mapper
            rows = try withoutActuallyEscaping(progress) { progress in
                let start = ItemImport.Progress(
                    items: 0, bytes: 0, totalBytes: size, rows: settings.skipping, deferred: 0)
                source.willRead = { try progress(start) }
                defer { source.willRead = nil }
                var rows = try Self.rows(settings, source, known, mapper)
                for _ in 0..<max(0, settings.skipping) {
                    if try !rows.skip() { break }
                }
                return rows
            }
        } catch let failure as RowFailure {
            throw Self.error(failure, in: source, "Nothing was stored.")
        }
    }

    private static func rows(
        _ settings: ItemImport, _ source: ByteSource, _ known: ItemSchema?, _ mapper: ItemMapper
    ) throws -> any RowSource {
        let kind = FileKind(fileName: source.name)
        if settings.format == .csv || settings.format == .automatic && kind.isCSV {
            return try CSVRows(
                source, settings.csv, delimiter: settings.csv.delimiter(byName: kind.delimiter),
                known: known, mapper, chunkSize: settings.chunkSize)
        }
        return try JSONRows(
            source, settings.format, isLines: kind.isJSONLines, chunkSize: settings.chunkSize)
    }

    mutating func run(
        _ progress: (ItemImport.Progress) throws -> Void, _ badRow: (ItemImport.BadRow) -> Void
    ) throws {
        var isAtEnd = false
        while !isAtEnd {
            var bad: [Bad] = []
            let batch = try nextBatch(&bad, &isAtEnd)
            if batch.isEmpty, bad.isEmpty { break }
            do {
                try write(batch, &bad)
            } catch {
                reportBad(bad, badRow)
                throw error
            }
            rowsDone = rowsRead
            reportBad(bad, badRow)
            try progress(state(of: rows))
        }
        if deferred.isEmpty { return }
        try writeDeferred(badRow)
        try progress(state(of: rows))
    }

    private func state(of rows: any RowSource) -> ItemImport.Progress {
        ItemImport.Progress(
            items: report.items, bytes: source.isPlain ? rows.offset : source.fileBytes,
            totalBytes: totalBytes, rows: rowsDone, deferred: deferred.count)
    }

    /// Writes the rows that referred to later ones.
    ///
    /// All of them are in one block, because they may refer to each other.
    private mutating func writeDeferred(_ badRow: (ItemImport.BadRow) -> Void) throws {
        isWritingDeferred = true
        writer.endDeferring()
        var batch = deferred
        var bad: [Bad] = []
        defer { reportBad(bad, badRow) }
        while !batch.isEmpty {
            do {
                let outcome = try writer.write(batch)
                note(outcome, of: batch)
                for (row, error) in outcome.refused { refuse(row, error, &bad) }
                break
            } catch let refusal as RowsWriter.Refusal {
                let rows =
                    refusal.rows.isEmpty
                    ? writer.firstRefused(of: batch).map { [$0] } : refusal.rows
                guard settings.onError == .skip, let rows,
                    leaveOut(rows, refusal.error, of: &batch, &bad)
                else { throw error(refusal, batch) }
            } catch let error as DataStoreError {
                throw withState(error, "“\(source.name)”, from line \(batch[0].line) on: ")
            }
        }
        deferred = []
        isWritingDeferred = false
    }

    private mutating func note(_ outcome: ItemsWriter.Outcome, of batch: [ImportRow]) {
        report.created += outcome.created
        report.updated +=
            batch.count - outcome.created - outcome.refused.count - outcome.deferred.count
    }

    // MARK: Bad rows

    /// A row that is left out.
    private typealias Bad = (position: Int, row: ItemImport.BadRow)

    /// Reports the rows that are left out permanently; a continued import reads later ones again.
    private mutating func reportBad(_ bad: [Bad], _ badRow: (ItemImport.BadRow) -> Void) {
        let leftOut = bad.filter { $0.position < rowsDone }.sorted { $0.position < $1.position }
        report.skipped += leftOut.count
        for bad in leftOut { badRow(bad.row) }
    }

    // MARK: Reading

    private mutating func nextBatch(
        _ bad: inout [Bad], _ isAtEnd: inout Bool
    ) throws -> [ImportRow] {
        var batch: [ImportRow] = []
        let start = rows.offset
        var steps = WorkSteps()
        while batch.count + bad.count < max(1, settings.batchSize),
            rows.offset - start < Self.batchBytes || batch.isEmpty
        {
            try steps.count()
            do {
                guard let found = try rows.next() else {
                    isAtEnd = true
                    break
                }
                for path in report.keyPathsWithoutValues where found.has(path) {
                    report.keyPathsWithoutValues.remove(path)
                }
                if var row = try mapper.row(found.members, line: found.line) {
                    row.position = rowsRead
                    // Usually the first rows have values of all relationships.
                    if !report.relationsWithoutValues.isEmpty {
                        report.relationsWithoutValues.subtract(
                            row.links.map { mapper.relations[$0.relation].name })
                    }
                    batch.append(row)
                } else {
                    report.omitted += 1
                }
            } catch let failure as RowFailure {
                guard settings.onError == .skip, !failure.endsReading else {
                    throw Self.error(failure, in: source, state)
                }
                bad.append((rowsRead, .init(line: failure.line, reason: failure.reason)))
            } catch let error as DataStoreError {
                throw withState(error, "")
            }
            rowsRead += 1
        }
        return batch
    }

    // MARK: Writing

    private mutating func write(
        _ batch: [ImportRow], _ bad: inout [Bad]
    ) throws {
        guard let last = batch.last else { return }
        do {
            let outcome = try writer.write(batch)
            note(outcome, of: batch)
            deferred += outcome.deferred
            for (row, error) in outcome.refused { refuse(row, error, &bad) }
            rowsDone = last.position + 1
        } catch let refusal as RowsWriter.Refusal {
            guard settings.onError == .skip else { throw error(refusal, batch) }
            guard batch.count > 1 else { return refuse(batch[0], refusal.error, &bad) }
            // Halves could separate rows that only together give an item the others that it needs.
            var rest = batch
            if refusal.error.code == .validationFailed,
                leaveOut(refusal.rows, refusal.error, of: &rest, &bad)
            {
                return try write(rest, &bad)
            }
            // The batch is halved until the bad row is alone.
            let middle = batch.count / 2
            try write(Array(batch[..<middle]), &bad)
            try write(Array(batch[middle...]), &bad)
        } catch let error as DataStoreError {
            throw withState(error, "“\(source.name)”, from line \(batch[0].line) on: ")
        }
    }

    /// Leaves refused rows out of a batch, and returns whether it had any of them.
    private func leaveOut(
        _ rows: [ImportRow], _ error: DataStoreError, of batch: inout [ImportRow],
        _ bad: inout [Bad]
    ) -> Bool {
        let positions = Set(rows.map(\.position))
        let count = batch.count
        batch.removeAll { positions.contains($0.position) }
        if batch.count == count { return false }
        for row in rows { refuse(row, error, &bad) }
        return true
    }

    private func refuse(_ row: ImportRow, _ error: DataStoreError, _ bad: inout [Bad]) {
        bad.append((row.position, .init(line: row.line, reason: error.message)))
    }

    // MARK: Errors

    /// The error for a batch that the store refused.
    private func error(_ refusal: RowsWriter.Refusal, _ batch: [ImportRow]) -> DataStoreError {
        let error = refusal.error
        let row =
            refusal.rows.first ?? (batch.count == 1 ? batch[0] : writer.firstRefused(of: batch))
        let lines =
            row.map { "line \($0.line)" }
            ?? "lines \(batch.first?.line ?? 0)–\(batch.last?.line ?? 0)"
        return withState(error, "“\(source.name)”, \(lines): ")
    }

    /// The store's error, with the state of the import and advice on how to continue.
    private func withState(_ error: DataStoreError, _ place: String) -> DataStoreError {
        var explained = DataStoreError(
            error.code, in: error.operation, "\(place)\(error.message) \(state)",
            itemType: error.itemType ?? settings.itemType, attribute: error.attribute,
            engine: error.engine)
        explained.isReported = error.isReported
        return explained
    }

    private static func error(
        _ failure: RowFailure, in source: ByteSource, _ state: String
    ) -> DataStoreError {
        DataStoreError(
            .invalidInput, in: "import",
            "“\(source.name)”, line \(failure.line): \(failure.reason). \(state)")
    }

    /// The state of the import, and advice on how to continue.
    private var state: String {
        guard let first = deferred.first else { return stateOfRows }
        let which =
            "The \(deferred.count.counted("row")) that refer to later rows, from line \(first.line) on,"
        // Rows that identify their items can be imported twice.
        let key =
            deferred.contains { $0.id == nil }
            ? mapper.key ?? mapper.relations.keyOfOwn(mapper.type) : nil
        let options = [
            first.position == 0
                ? nil
                : "without the first \(first.position.counted("row")) (--skip \(first.position))",
            settings.key == nil ? key.map { "with the key “\($0)” (--key \($0))" } : nil,
        ].compactMap(\.self)
        let again = ([""] + options).joined(separator: " ")
        let others =
            isWritingDeferred ? "all others are" : "of the others \(rowsDone - deferred.count) are"
        return """
            \(which) are not stored, and \(others); correct the cause and import the file again\(again). Rows that are stored \
            then change their items once more.
            """
    }

    private var stateOfRows: String {
        if rowsDone == 0 { return "Nothing was stored; correct the cause and import it again." }
        let before = rowsDone == 1 ? "row" : "\(rowsDone) rows"
        let isStored =
            settings.onError == .skip
            ? "What is not bad of the \(before) before is stored"
            : "The \(before) before \(rowsDone == 1 ? "is" : "are") stored"
        return """
            \(isStored), and nothing else; correct the cause and import again without the first \(before) (--skip \
            \(rowsDone)).
            """
    }
}
