import JustPersist

/// One run of an import: takes rows from a source, whatever their format, and brings them into the store in batches.
struct ImportRun {
    private let settings: ItemImport
    private let source: ByteSource
    private let totalBytes: Int?
    private let store: any DataStore
    private var rows: any RowSource
    private var writer: RowsWriter
    private(set) var report = ItemImport.Report()
    /// The rows of the file that are dealt with, those left out among them.
    private var rowsDone: Int
    /// A batch ends behind this many bytes of text.
    private static let batchBytes = 16 << 20

    init(
        _ settings: ItemImport, _ source: ByteSource, size: Int?, into store: any DataStore
    ) throws {
        self.settings = settings
        self.source = source
        self.store = store
        totalBytes = size
        rowsDone = settings.skipping
        let known = try store.read { db in
            try db.schemas().first {
                $0.itemTypeKey == settings.itemType
                    || $0.formerTypeKeys.contains(settings.itemType)
            }
        }
        writer = RowsWriter(settings, store)
        try writer.checkKey(known)
        do {
            rows = try Self.rows(settings, source, known)
            for _ in 0..<max(0, settings.skipping) {
                if try !rows.skip() { break }
            }
        } catch let failure as RowFailure {
            throw Self.error(failure, in: source, "Nothing was stored.")
        }
    }

    private static func rows(
        _ settings: ItemImport, _ source: ByteSource, _ known: ItemSchema?
    ) throws -> any RowSource {
        let kind = FileKind(fileName: source.name)
        if settings.format == .csv || settings.format == .automatic && kind.isCSV {
            return try CSVRows(
                source, settings.csv, delimiter: settings.csv.delimiter(byName: kind.delimiter),
                known: known, chunkSize: settings.chunkSize)
        }
        return try JSONRows(
            source, settings.format, isLines: kind.isJSONLines, chunkSize: settings.chunkSize)
    }

    mutating func run(
        _ progress: (ItemImport.Progress) throws -> Void, _ badRow: (ItemImport.BadRow) -> Void
    ) throws {
        var isAtEnd = false
        while !isAtEnd {
            var bad: [ItemImport.BadRow] = []
            let batch = try nextBatch(&bad, &isAtEnd)
            if batch.isEmpty, bad.isEmpty { return }
            try write(batch, &bad)
            for row in bad.sorted(by: { $0.line < $1.line }) { badRow(row) }
            rowsDone += batch.count
            try progress(
                ItemImport.Progress(
                    items: report.items, bytes: source.isPlain ? rows.offset : source.fileBytes,
                    totalBytes: totalBytes, rows: rowsDone))
        }
    }

    // MARK: Reading

    private mutating func nextBatch(
        _ bad: inout [ItemImport.BadRow], _ isAtEnd: inout Bool
    ) throws -> [ImportRow] {
        var batch: [ImportRow] = []
        let start = rows.offset
        while batch.count + bad.count < max(1, settings.batchSize),
            rows.offset - start < Self.batchBytes || batch.isEmpty
        {
            do {
                guard let row = try rows.next() else {
                    isAtEnd = true
                    break
                }
                try writer.check(row)
                batch.append(row)
            } catch let failure as RowFailure {
                guard settings.onError == .skip, !failure.endsReading else {
                    throw Self.error(failure, in: source, state)
                }
                report.skipped += 1
                rowsDone += 1
                bad.append(.init(line: failure.line, reason: failure.reason))
            } catch let error as DataStoreError {
                throw DataStoreError(
                    error.code, in: error.operation, "\(error.message) \(state)",
                    engine: error.engine)
            }
        }
        return batch
    }

    // MARK: Writing

    private mutating func write(
        _ batch: [ImportRow], _ bad: inout [ItemImport.BadRow]
    ) throws {
        if batch.isEmpty { return }
        do {
            let outcome = try writer.write(batch[...])
            report.created += outcome.created
            report.updated += batch.count - outcome.created - outcome.refused.count
            for (row, error) in outcome.refused { refuse(row, error, &bad) }
        } catch let refusal as RowsWriter.Refusal {
            guard settings.onError == .skip else { throw error(refusal, batch) }
            guard batch.count > 1 else { return refuse(batch[0], refusal.error, &bad) }
            // Halves, until the row is alone.
            let middle = batch.count / 2
            try write(Array(batch[..<middle]), &bad)
            try write(Array(batch[middle...]), &bad)
        }
    }

    private mutating func refuse(
        _ row: ImportRow, _ error: DataStoreError, _ bad: inout [ItemImport.BadRow]
    ) {
        report.skipped += 1
        bad.append(.init(line: row.line, reason: error.message))
    }

    // MARK: Errors

    /// The error for a batch that the store did not take.
    private func error(_ refusal: RowsWriter.Refusal, _ batch: [ImportRow]) -> DataStoreError {
        let error = refusal.error
        let row = refusal.row ?? (batch.count == 1 ? batch[0] : writer.firstRefused(of: batch))
        let lines =
            row.map { "line \($0.line)" }
            ?? "lines \(batch.first?.line ?? 0)–\(batch.last?.line ?? 0)"
        return DataStoreError(
            error.code, in: error.operation,
            "“\(source.name)”, \(lines): \(error.message) \(state)", itemType: settings.itemType,
            attribute: error.attribute, engine: error.engine)
    }

    private static func error(
        _ failure: RowFailure, in source: ByteSource, _ state: String
    ) -> DataStoreError {
        DataStoreError(
            .invalidInput, in: "import",
            "“\(source.name)”, line \(failure.line): \(failure.reason). \(state)")
    }

    /// What is in the store, and how to go on.
    private var state: String {
        if report.skipped > 0 {
            return """
                Of the \(rowsDone) rows before, those that were not bad are stored, and nothing else; to go on, import \
                again without the first \(rowsDone) rows.
                """
        }
        return rowsDone == 0
            ? "Nothing was stored; correct the file and import it again."
            : """
            The \(rowsDone) items before are stored, and nothing else; correct the file and import it \
            again without its first \(rowsDone) items.
            """
    }
}
