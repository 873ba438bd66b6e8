import ArgumentParser
import JustPersist
import JustPersistCommandLine

/// Prints the items of a type that match.
struct QueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Print the items of a type that match a predicate, or what is computed of them.",
        discussion: """
            --group-by borough --select count,average:stars prints a row for each borough: the number of its items, \
            and the average of their stars. The columns are named borough, count and average.stars; --having, --sort, \
            --limit and --offset are about the rows then. Without --group-by such a --select computes of all items. \
            Values that are null are left out.

            In json and jsonl a date is {"$date": milliseconds since 1970}, and null is left out \
            except where an attribute has a default, so that import brings the items back. Data is Base64, a UUID its text, a Decimal a number with all its \
            digits.
            """)

    @Argument(help: .init(storeHelp), completion: .stores) var store: String
    @Argument(help: "The type of the items.", completion: .storedTypes) var type: String
    @Option(
        name: .customLong("where"),
        help: "A predicate, such as 'stars > 3 AND name CONTAINS[cd] \"cafe\"'.")
    var predicate: String?
    @Option(
        name: .customLong("sort"),
        help:
            "A key to sort by, ascending, or KEY:desc. Texts in another order: KEY:caseInsensitive, KEY:numeric, KEY:localizedStandard. Repeatable."
    )
    var sortKeys: [SortKey] = []
    @Option(help: "How many items at most; 0 for all.") var limit: Int?
    @Option(help: "How many items to leave out at the start.") var offset: Int?
    @Option(help: "How to print them.") var format = RowFormat.table
    @OptionGroup var tables: TableOptions
    @Flag(help: "Print how the items are found, in place of the items.") var explain = false
    @Option(
        help:
            "Attributes to print, or paths into dictionaries, separated by commas; uniqueToken is the id.",
        transform: AggregateColumns.list)
    var columns: [String]?
    @Option(
        help:
            "The same as --columns; or what to compute: count, count:KEY, sum:KEY, average:KEY, min:KEY, max:KEY.",
        transform: AggregateColumns.list)
    var select: [String]?
    @Option(
        help: "Attributes or paths, separated by commas: a row for each group of equal values.",
        transform: AggregateColumns.list)
    var groupBy: [String]?
    @Option(help: "Which groups to print: a predicate about columns, such as 'count > 10'.")
    var having: String?

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit must be 0 or more.") }
        if let offset, offset < 0 { throw ValidationError("--offset must be 0 or more.") }
        if columns != nil, select != nil || groupBy != nil {
            throw ValidationError("--columns cannot be used with --select or --group-by.")
        }
    }

    /// What is to be computed of the items; `nil` if they are to be printed.
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
        let predicate = try predicate.map { text in try DataStorePredicate(text, arguments: []) }
        let opened = try OpenStore.reading(store)
        try opened.store.performRead { db in
            let schema = try db.schemas().known(type, in: "query")
            let known = KnownAttributes(schema)
            if let predicate { try known.check(predicate) }
            let request = DataStoreRequest(itemTypeKey: type)
            request.predicate = predicate
            request.limit = limit
            request.offset = offset
            let output = tables.output
            if let aggregation = try aggregation(of: schema) {
                return try printRows(of: aggregation, request, known, db, to: output)
            }
            for key in sortKeys { try known.check(path: key.path, in: "--sort") }
            for column in columns ?? [] { try known.check(path: column, in: "--columns") }
            for column in select ?? [] { try known.check(path: column, in: "--select") }
            request.sortDescriptors = sortKeys.map { $0.descriptor() }
            if explain {
                try output.line("\(try db.explain(request))")
                return try output.flush()
            }
            if format == .count {
                try output.line(String(try db.count(request)))
                return try output.flush()
            }
            var writer = try RowWriter(
                format, columns: columns ?? select ?? schema.attributes.map(\.name), of: schema,
                to: output)
            try db.forEach(request) { item in try writer.write(item) }
            try writer.finish()
        }
    }

    private func printRows(
        of aggregation: DataStoreAggregation, _ request: DataStoreRequest,
        _ known: KnownAttributes, _ db: borrowing DataStoreReader, to output: Output
    ) throws {
        for key in aggregation.keys { try known.check(path: key, in: "--group-by") }
        for key in aggregation.aggregates.compactMap(\.key) {
            try known.check(path: key, in: "--select")
        }
        // As in --select, or as the column is named.
        request.sortDescriptors = sortKeys.map { $0.descriptor(ofColumn: true) }
        let rows = try db.aggregate(request, aggregation)
        if format == .count {
            try output.line(String(rows.count))
            return try output.flush()
        }
        var writer = try RowWriter(
            format, columns: aggregation.columns, withNull: aggregation.columns, to: output)
        for row in rows { try writer.write(row.values) }
        try writer.finish()
    }
}

/// A key to sort by, as it is written on the command line: `name`, `name:desc` or `name:numeric:desc`.
struct SortKey: ExpressibleByArgument {
    let path: String
    private(set) var ascending = true
    private(set) var textOrder = TextOrder.scalars

    init?(argument: String) {
        var parts = argument.split(separator: ":", omittingEmptySubsequences: false).map(
            String.init)
        // The key itself may have a colon: average:stars.
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

    /// The criterion, for a column if the key is one of an aggregation.
    func descriptor(ofColumn: Bool = false) -> DataStoreSortDescriptor {
        DataStoreSortDescriptor(
            key: ofColumn ? DataStoreAggregate(argument: path)?.name ?? path : path,
            ascending: ascending,
            textOrder: textOrder)
    }
}
