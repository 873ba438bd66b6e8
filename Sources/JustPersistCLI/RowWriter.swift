import ArgumentParser
import JustPersist
import JustPersistMigration

/// How the items of a query are printed.
enum RowFormat: String, ExpressibleByArgument, CaseIterable {
    case table, json, jsonl, csv, count
}

/// Prints items in one format, a row for each.
struct RowWriter {
    private let format: RowFormat
    private let columns: [String]
    private let output: Output
    private var table: TextTable
    private var isFirst = true

    init(_ format: RowFormat, columns: [String], to output: Output) throws {
        self.format = format
        self.columns = columns
        self.output = output
        table = TextTable(header: columns)
        if format == .csv { try output.data(columns.map(\.csvField).joined(separator: ",") + "\r") }
    }

    mutating func write(_ item: any DataStoreItem) throws {
        var row: [(name: String, value: DataStoreValue)] = []
        for column in columns {
            row.append((column, try item.storedValue(forKeyPath: column)))
        }
        switch format {
        case .table: table.append(row.map(\.value.cellText))
        case .csv:
            try output.data(row.map(\.value.cellText.csvField).joined(separator: ",") + "\r")
        case .json, .jsonl, .count:
            let object = String(jsonObject: row.filter { !$0.value.isNull })
            if format == .jsonl {
                try output.data(object)
            } else {
                // The comma goes in front, so that the last item needs not be known.
                try output.data((isFirst ? "[" : ",") + object)
            }
        }
        isFirst = false
    }

    func finish() throws {
        switch format {
        case .table: for line in table.lines() { try output.line(line) }
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
