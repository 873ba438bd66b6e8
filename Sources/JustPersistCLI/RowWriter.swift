import ArgumentParser
import JustPersist
import JustPersistCommandLine
import JustPersistImportExport

/// The output formats of a query.
enum RowFormat: String, ExpressibleByArgument, CaseIterable {
    case table, json, jsonl, csv, count
}

/// Prints items, or rows of an aggregation, in one format.
struct RowWriter {
    private let format: RowFormat
    private let columns: [String]
    /// The columns whose nulls are printed, because an item without a stored value would have another value.
    private let columnsWithNull: Set<String>
    private let output: Output
    private var table: TextTable
    private var isFirst = true

    /// A writer of items.
    init(
        _ format: RowFormat, columns: [String], of schema: ItemSchema, to output: Output
    ) throws {
        try self.init(
            format, columns: columns,
            withNull: schema.attributes.filter { $0.defaultValue != nil }.map(\.name), to: output)
    }

    /// A writer of rows that prints nulls in some columns.
    init(
        _ format: RowFormat, columns: [String], withNull: [String], to output: Output
    ) throws {
        self.format = format
        self.columns = columns
        columnsWithNull = Set(withNull)
        self.output = output
        table = TextTable(header: columns)
        if format == .csv { try write(csv: columns.map { .string($0) }) }
    }

    /// Prints a value for each column.
    mutating func write(_ values: [DataStoreValue]) throws {
        let row = Array(zip(columns, values).map { (name: $0, value: $1) })
        switch format {
        case .table: table.append(row.map(\.value.cellText))
        case .csv: try write(csv: values)
        case .json, .jsonl, .count:
            let object = String(
                jsonObject: row.filter {
                    !$0.value.isNull || columnsWithNull.contains($0.name)
                })
            if format == .jsonl {
                try output.data(object)
            } else {
                // The comma precedes the item, so that the last item need not be known.
                try output.data((isFirst ? "[" : ",") + object)
            }
        }
        isFirst = false
    }

    /// Writes no control characters to a terminal.
    private func write(csv values: [DataStoreValue]) throws {
        var writer = CSVWriter()
        writer.append(values)
        let text = String(decoding: writer.bytes.dropLast(), as: UTF8.self)
        if Output.isTerminal {
            try output.line(text)
        } else {
            try output.data(text)
        }
    }

    func finish() throws {
        switch format {
        case .table: try table.write(to: output)
        case .json: try output.data(isFirst ? "[]" : "]")
        case .jsonl, .csv, .count: break
        }
        try output.flush()
    }
}
