import ArgumentParser
import Foundation
import JustPersist
import JustPersistCommandLine
import JustPersistImportExport

/// Writes the items of a type to a file.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write items to a file of JSON or CSV.",
        discussion: """
            The file's name determines the format, .json, .jsonl, .ndjson, .csv or .tsv, or --format does; with .gz or .zst \
            after it the file is compressed. Without a file, or with -, the text goes to standard output. The items are read \
            from one snapshot, independent of later writes. A file appears when it is complete.

            json is an array, and jsonl one object per line. Both keep every value: kinds that JSON lacks are objects with \
            one key, {"$date": milliseconds since 1970}, {"$uuid": "…"}, {"$data": Base64}, {"$decimal": "1.5"}, {"$url": \
            "…"}, {"$ref": {"type": "…", "id": "…"}}, {"$double": "nan"}; a Double has a point or an exponent. null is left \
            out, except where an attribute has a default.

            A relationship to one item is a reference. One to many is an array of references if --columns names it. With --ids \
            and without --columns also those to many are written that the rows of the other type do not show: between many \
            and many, and with an order. import reads them back where the relationships are declared: by a program's classes, or by \
            --relation 'tracks=[Track.$id]:tracks'.

            csv has a column for each attribute. An empty cell is null, and "" an empty text; dates are ISO 8601, Data is \
            Base64, a reference TYPE ID, and arrays and dictionaries are JSON. To read it back, give import the kinds of \
            columns that their texts do not show (--schema).
            """)

    @Argument(help: .init(storeHelp), completion: .stores) var store: String
    @Argument(help: "The type of the items.", completion: .storedTypes) var type: String
    @Argument(help: "The file; - for standard output.", completion: .file()) var file = "-"
    @OptionGroup var selected: SelectedItems
    @Option(
        name: [.customLong("select"), .customLong("columns")],
        help:
            "Attributes and relationships to write, or paths into dictionaries and along relationships, separated by commas; uniqueToken is the id.",
        transform: AggregateColumns.list)
    var select: [String]?
    @Option(help: "The format, independent of the file's name; jsonl for standard output.")
    var format: ImportCommand.Format?
    @Flag(help: "Write the id of each item, as $id, from which import finds it again.")
    var ids = false
    @Option(
        name: .customLong("link"), parsing: .unconditionalSingleValue,
        help: .init(
            "Write the items of the relationship NAME as nested objects in JSON; books.tags also nests the tags of the books. Repeatable.",
            valueName: "name"))
    var links: [String] = []
    @Option(help: "The character between the cells of CSV.") var delimiter: Delimiter?
    @Flag(help: "Replace an existing file.") var yes = false

    func validate() throws {
        if delimiter != nil, !ImportCommand.Format.isCSV(format, file) {
            throw ValidationError("--delimiter is for CSV. Add --format csv, or leave it out.")
        }
    }

    func run() throws {
        let request = try selected.unsorted(type)
        let opened = try OpenStore.reading(store)
        var total: Int?
        var isEmpty = false
        var fruitless: FruitlessPredicate?
        try opened.store.performRead { db in
            let schema = try db.schemas().known(type, in: "export")
            fruitless = FruitlessPredicate(request.predicate, of: schema)
            let known = KnownAttributes(schema)
            if let predicate = request.predicate { try known.check(predicate) }
            try selected.sort(request, known)
            for column in select ?? [] { try known.check(path: column, in: "--select") }
            // Counting the results of a predicate takes as long as finding them.
            if request.predicate == nil { total = try db.count(request) }
            isEmpty = total == 0
        }
        var export = ItemExport(request)
        switch format {
        case .json: export.format = .json
        case .jsonl: export.format = .jsonLines
        case .csv, .tsv: export.format = .csv
        case nil: export.format = file == "-" ? .jsonLines : nil
        }
        export.attributes = select
        export.includesIDs = ids
        export.links = links
        export.delimiter =
            delimiter?.character ?? (format == .tsv ? "\t" : format == .csv ? "," : nil)
        let line = ProgressLine()
        func show(_ progress: ItemExport.Progress) {
            line.show(
                items: progress.items,
                fraction: isEmpty ? nil : total.map { Double(progress.items) / Double($0) })
        }
        let output = Output()
        if file == "-" {
            // The incomplete last line, for a terminal.
            var begun: [UInt8] = []
            var count = 0
            try opened.store.performRead { db in
                count = try export.run(from: db, progress: { if !Output.isTerminal { show($0) } }) {
                    text in
                    guard Output.isTerminal else { return try output.bytes(text) }
                    begun = try Self.write(lines: begun + text, to: output)
                }
            }
            line.clear()
            if count == 0 { fruitless?.complain() }
            return try output.flush()
        }
        let interruption = Interruption()
        let count = try export.run(
            from: opened.store, to: URL(filePath: file), replacing: yes
        ) { progress in
            try interruption.check("Interrupted: nothing was written to “\(file)”.")
            show(progress)
        }
        line.clear()
        if count == 0 { fruitless?.complain() }
        try output.line("\(count.counted("item")) exported to “\(file)”.")
        try output.flush()
    }

    /// Writes complete lines to a terminal, without the control characters that CSV may contain; returns the rest.
    private static func write(lines text: [UInt8], to output: Output) throws -> [UInt8] {
        guard let end = text.lastIndex(of: 0x0a) else { return text }
        for line in text[..<end].split(separator: 0x0a, omittingEmptySubsequences: false) {
            try output.line(String(decoding: line, as: UTF8.self))
        }
        return Array(text[(end + 1)...])
    }
}
