import ArgumentParser
import JustPersist
import JustPersistCommandLine
import JustPersistImportExport

/// How the items of a query are printed.
enum RowFormat: String, ExpressibleByArgument, CaseIterable {
    case table, json, jsonl, csv, count
}

/// Prints items, or what was computed of them, in one format, a row for each.
struct RowWriter {
    private let format: RowFormat
    private let columns: [String]
    /// The columns whose nulls are printed, too: where null is not what an item has that holds no value.
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

    /// A writer of rows, of which nulls are printed in some columns.
    init(
        _ format: RowFormat, columns: [String], withNull: [String], to output: Output
    ) throws {
        self.format = format
        self.columns = columns
        columnsWithNull = Set(withNull)
        self.output = output
        table = TextTable(header: columns)
        if format == .csv { try write(csv: columns) }
    }

    mutating func write(_ item: any DataStoreItem) throws {
        var values: [DataStoreValue] = []
        for column in columns { values.append(try item.storedValue(forKeyPath: column)) }
        try write(values)
    }

    /// Prints a value for each column.
    mutating func write(_ values: [DataStoreValue]) throws {
        let row = Array(zip(columns, values).map { (name: $0, value: $1) })
        switch format {
        case .table: table.append(row.map(\.value.cellText))
        case .csv: try write(csv: row.map(\.value.cellText))
        case .json, .jsonl, .count:
            let object = String(
                jsonObject: row.filter {
                    !$0.value.isNull || columnsWithNull.contains($0.name)
                })
            if format == .jsonl {
                try output.data(object)
            } else {
                // The comma goes in front, so that the last item needs not be known.
                try output.data((isFirst ? "[" : ",") + object)
            }
        }
        isFirst = false
    }

    /// RFC 4180 ends lines with CR LF; a terminal gets no control characters.
    private func write(csv fields: [String]) throws {
        let line = fields.map(\.csvField).joined(separator: ",")
        if Output.isTerminal {
            try output.line(line)
        } else {
            try output.data(line + "\r")
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

extension String {
    /// The text as a field of CSV (RFC 4180).
    fileprivate var csvField: String {
        let needsQuotes = utf8.contains {
            $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") || $0 == 0x0a || $0 == 0x0d
        }
        return needsQuotes ? "\"" + replacing("\"", with: "\"\"") + "\"" : self
    }
}
