import ArgumentParser
import JustPersist
import JustPersistCommandLine

/// Prints the items of a type that match.
struct QueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query", abstract: "Print the items of a type that match a predicate.",
        discussion: """
            In json and jsonl a date is {"$date": milliseconds since 1970}, and null is left out \
            except where an attribute has a default, so that import brings the items back. Data is Base64, a UUID its text, a Decimal a number with all its \
            digits.
            """)

    @Argument(help: .init(storeHelp)) var store: String
    @Argument(help: "The type of the items.") var type: String
    @Option(
        name: .customLong("where"),
        help: "A predicate, such as 'stars > 3 AND name CONTAINS[cd] \"cafe\"'.")
    var predicate: String?
    @Option(
        name: .customLong("sort"), help: "A key to sort by, ascending, or KEY:desc. Repeatable.")
    var sortKeys: [SortKey] = []
    @Option(help: "How many items at most; 0 for all.") var limit: Int?
    @Option(help: "How many items to leave out at the start.") var offset: Int?
    @Option(help: "How to print them.") var format = RowFormat.table
    @Flag(help: "Print how the items are found, in place of the items.") var explain = false
    @Option(
        help:
            "Attributes to print, or paths into dictionaries, separated by commas; uniqueToken is the id.",
        transform: { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) })
    var columns: [String]?

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit must be 0 or more.") }
        if let offset, offset < 0 { throw ValidationError("--offset must be 0 or more.") }
    }

    func run() throws {
        let predicate = try predicate.map { text in try DataStorePredicate(text, arguments: []) }
        let opened = try OpenStore.reading(store)
        try opened.store.performRead { db in
            let schemas = try db.schemas()
            guard let schema = schemas.first(where: { $0.itemTypeKey == type }) else {
                throw DataStoreError.unknownType(type, among: schemas, in: "query")
            }
            let known = KnownAttributes(schema)
            if let predicate { try known.check(predicate) }
            for key in sortKeys { try known.check(path: key.path, in: "--sort") }
            for column in columns ?? [] { try known.check(path: column, in: "--columns") }
            let request = DataStoreRequest(itemTypeKey: type)
            request.predicate = predicate
            request.sortDescriptors = sortKeys.map {
                DataStoreSortDescriptor(key: $0.path, ascending: $0.ascending)
            }
            request.limit = limit
            request.offset = offset
            let output = Output()
            if explain {
                try output.line("\(try db.explain(request))")
                return try output.flush()
            }
            if format == .count {
                try output.line(String(try db.count(request)))
                return try output.flush()
            }
            var writer = try RowWriter(
                format, columns: columns ?? schema.attributes.map(\.name), of: schema, to: output)
            try db.forEach(request) { item in try writer.write(item) }
            try writer.finish()
        }
    }
}

/// A key to sort by, as it is written on the command line.
struct SortKey: ExpressibleByArgument {
    let path: String
    let ascending: Bool

    init?(argument: String) {
        ascending = !argument.hasSuffix(":desc")
        path = String(
            argument.dropLast(ascending ? argument.hasSuffix(":asc") ? 4 : 0 : 5))
        if path.isEmpty { return nil }
    }
}
