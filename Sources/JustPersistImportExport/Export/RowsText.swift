import JustPersist

/// The text of rows in one of the formats, until it is taken.
struct RowsText {
    private let format: ItemExport.Format
    private let columns: ExportColumns
    private let hasIDs: Bool
    private var json = JSONWriter()
    private var csv: CSVWriter
    /// The number of rows that were appended.
    private(set) var count = 0

    init(
        _ format: ItemExport.Format, _ columns: ExportColumns, withIDs hasIDs: Bool,
        delimiter: UInt8
    ) {
        self.format = format
        self.columns = columns
        self.hasIDs = hasIDs
        csv = CSVWriter(delimiter: delimiter)
        if format == .csv {
            let names = columns.names.map { Optional(JSONTag.written(attribute: $0)) }
            csv.append(cells: (hasIDs ? [JSONTag.id] : []) + names)
        }
    }

    /// Whether there is so much text that it should be taken now.
    var isLarge: Bool { json.bytes.count + csv.bytes.count > 1 << 18 }

    mutating func append(
        _ item: any DataStoreItem, from db: borrowing some DataStoreReadAccessor & ~Copyable
    ) throws(DataStoreError) {
        let before = json.bytes.count + csv.bytes.count
        try appendText(of: item, db)
        guard json.bytes.count + csv.bytes.count - before > ImportRow.mostBytes else { return }
        throw DataStoreError(
            .limitExceeded, in: "export",
            """
            \(type(of: item).itemTypeKey) \(item.uniqueToken) has more than \(ImportRow.mostBytes >> 20) MiB as text, which no import \
            reads. Leave attributes out (--select), or copy the store with a backup or a migration.
            """, itemType: type(of: item).itemTypeKey)
    }

    private mutating func appendText(
        of item: any DataStoreItem, _ db: borrowing some DataStoreReadAccessor & ~Copyable
    ) throws(DataStoreError) {
        let values = try columns.values(of: item, in: db)
        switch format {
        case .csv:
            csv.append(
                cells: (hasIDs ? [item.uniqueToken.description] : []) + values.lazy.map(\.cell))
        case .jsonLines:
            append(values, of: item)
            json.append("\n")
        case .json:
            // The comma precedes the item, so that the last item need not be known.
            json.append(count == 0 ? "[" : ",\n")
            append(values, of: item)
        }
        count += 1
    }

    private mutating func append(_ values: [DataStoreValue], of item: any DataStoreItem) {
        let columns = columns
        json.append(
            row: values.indices.lazy
                .filter { !values[$0].isNull || columns.isNullWritten[$0] }
                .map { (columns.names[$0], values[$0]) },
            id: hasIDs ? item.uniqueToken : nil)
    }

    /// Ends the text after the last row.
    mutating func finish() {
        if format == .json { json.append(count == 0 ? "[]\n" : "]\n") }
    }

    /// Removes and returns the text.
    mutating func take() -> [UInt8] { format == .csv ? csv.take() : json.take() }
}
