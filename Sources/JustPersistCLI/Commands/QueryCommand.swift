import ArgumentParser
import JustPersist
import JustPersistCommandLine

/// Prints the items of a type that match.
struct QueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Print the items of a type that match a predicate, or aggregates of them.",
        discussion: """
            --group-by borough --select count,average:stars prints a row for each borough: the number of its items, \
            and the average of their stars. The columns are named borough, count and average.stars; --having, --sort, \
            --limit and --offset apply to the rows then. Without --group-by such a --select aggregates all items. \
            Values that are null are left out.

            On a terminal the first \(rowsOnTerminal) rows are printed, unless --limit is given: --limit 0 prints all. To a file \
            or a pipe all are written.

            json and jsonl are written as export writes them, so that import brings the items back: null is left out except \
            where an attribute has a default, and a date is {"$date": milliseconds since 1970}.
            """)

    /// The number of rows on a terminal, unless the user sets one.
    private static let rowsOnTerminal = 100

    @Argument(help: .init(storeHelp), completion: .stores) var store: String
    @Argument(help: "The type of the items.", completion: .storedTypes) var type: String
    @OptionGroup var selected: SelectedItems
    @Option(help: "How to print them.") var format = RowFormat.table
    @OptionGroup var tables: TableOptions
    @Flag(help: "Print how the items are found, in place of the items.") var explain = false
    @Option(
        help:
            "Attributes to print, or expressions as in --where such as tags.@count, separated by commas; uniqueToken is the id.",
        transform: AggregateColumns.list)
    var columns: [String]?
    @Option(
        help:
            "The same as --columns; or what to compute: count, count:KEY, sum:KEY, average:KEY, min:KEY, max:KEY.",
        transform: AggregateColumns.list)
    var select: [String]?
    @Option(
        help:
            "Attributes or expressions, separated by commas: a row for each group of equal values.",
        transform: AggregateColumns.list)
    var groupBy: [String]?
    @Option(
        parsing: .unconditional,
        help: .init(
            "Which groups to print: a predicate about columns, such as 'count > 10'.",
            valueName: "predicate"))
    var having: String?

    func validate() throws {
        if columns != nil, select != nil || groupBy != nil {
            throw ValidationError("--columns cannot be used with --select or --group-by.")
        }
    }

    /// The aggregation; `nil` if items are to be printed.
    private func aggregation(of schema: ItemSchema) throws -> DataStoreAggregation? {
        let names = Set(schema.attributes.map(\.name))
        guard
            AggregateColumns.areAskedFor(groupBy: groupBy, select: select, ofAttributes: names)
        else {
            if having == nil { return nil }
            throw ValidationError("--having is for groups; add --group-by.")
        }
        if explain { throw ValidationError("--explain is for queries without --group-by.") }
        return try AggregateColumns(groupBy: groupBy, select: select, having: having).aggregation
    }

    func run() throws {
        let request = try selected.unsorted(type)
        let opened = try OpenStore.reading(store)
        try opened.store.performRead { db in
            let schema = try db.schemas().known(type, in: "query")
            let known = KnownAttributes(schema)
            if let predicate = request.predicate { try known.check(predicate) }
            let output = tables.output
            if let aggregation = try aggregation(of: schema) {
                return try printRows(of: aggregation, request, known, db, to: output)
            }
            try selected.sort(request, known)
            let option = columns == nil ? "--select" : "--columns"
            let names = columns ?? select ?? allColumns(of: schema)
            let keys = try names.map { try known.key($0, in: option, isColumn: true) }
            if explain {
                try output.line("\(try db.explain(request))")
                return try output.flush()
            }
            let fruitless = FruitlessPredicate(request.predicate, of: schema)
            var count = 0
            if format == .count {
                count = try db.count(request)
                try output.line(String(count))
                try output.flush()
                if count == 0 { fruitless?.complain() }
                return
            }
            var writer = try RowWriter(
                format, columns: names, of: schema, to: output)
            var columnsWithoutValues = Set(
                keys.indices.filter { keys[$0].isPathIntoDictionary(of: schema) })
            // One more item is requested, to find out whether there are more.
            if let most = mostRows { request.limit = most + 1 }
            try db.forEach(request) { item in
                count += 1
                if count <= mostRows ?? .max {
                    let values = try keys.map { try item.value(of: $0) }
                    if !columnsWithoutValues.isEmpty {
                        columnsWithoutValues = columnsWithoutValues.filter { values[$0].isNull }
                    }
                    try writer.write(values)
                }
            }
            try writer.finish()
            if count > 0 {
                for place in columnsWithoutValues.sorted() {
                    StandardStreams.complain(
                        "None of these items has a value for “\(names[place].printable)”.")
                }
            }
            if count == 0 { fruitless?.complain() }
            noteMore(than: count)
        }
    }

    /// The attributes; the id on a terminal if there are none, so that rows are not empty.
    private func allColumns(of schema: ItemSchema) -> [String] {
        let names = schema.attributes.map(\.name)
        return names.isEmpty && format == .table ? ["uniqueToken"] : names
    }

    /// The maximum number of rows to print, if the user has not set a limit and the output is a terminal.
    private var mostRows: Int? {
        Output.isTerminal && selected.limit == nil && format != .count ? Self.rowsOnTerminal : nil
    }

    /// Reports that there are more rows than are printed, if there are.
    private func noteMore(than count: Int) {
        guard let most = mostRows, count > most else { return }
        StandardStreams.complain(
            "These are the first \(most). To print all, add --limit 0; for the next, --offset \((selected.offset ?? 0) + most)."
        )
    }

    private func printRows(
        of aggregation: DataStoreAggregation, _ request: DataStoreRequest,
        _ known: KnownAttributes, _ db: borrowing DataStoreReader, to output: Output
    ) throws {
        for key in aggregation.keys { try known.key(key, in: "--group-by") }
        for key in aggregation.aggregates.compactMap(\.key) { try known.key(key, in: "--select") }
        // Each is a key as in --select, or the name of a column.
        request.sortDescriptors = selected.sortKeys.map { $0.descriptor(ofColumn: true) }
        if let most = mostRows { request.limit = most + 1 }
        let rows = try db.aggregate(request, aggregation)
        if format == .count {
            try output.line(String(rows.count))
            return try output.flush()
        }
        var writer = try RowWriter(
            format, columns: aggregation.columns, withNull: aggregation.columns, to: output)
        for row in rows.prefix(mostRows ?? .max) { try writer.write(row.values) }
        try writer.finish()
        noteMore(than: rows.count)
    }
}

/// A key to sort by, in the syntax of the command line: `name`, `name:desc` or `name:numeric:desc`.
struct SortKey: ExpressibleByArgument {
    let path: String
    private(set) var ascending = true
    private(set) var textOrder = TextOrder.scalars

    init?(argument: String) {
        var parts = QuotedNames.parts(of: argument, separatedBy: ":")
        // The key itself may contain a colon: average:stars.
        loop: while parts.count > 1, let word = parts.last {
            switch word {
            case "asc": ascending = true
            case "desc": ascending = false
            default:
                guard let order = TextOrder(rawValue: word) else { break loop }
                textOrder = order
            }
            parts.removeLast()
        }
        path = parts.joined(separator: ":")
        if path.isEmpty { return nil }
    }

    /// The criterion; `ofColumn` if it is for a column of an aggregation.
    func descriptor(ofColumn: Bool = false) -> DataStoreSortDescriptor {
        DataStoreSortDescriptor(
            key: ofColumn ? DataStoreAggregate(argument: path)?.name ?? path : path,
            ascending: ascending,
            textOrder: textOrder)
    }
}
