import ArgumentParser
import Foundation
import JustPersist
import JustPersistCommandLine
import JustPersistImportExport

/// Imports a file into a store.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import a file of JSON or CSV into a store.",
        discussion: """
            The file is a JSON array, JSON Lines, an object with an array in it, or CSV; it may be compressed with gzip \
            or Zstandard. - is standard input. The store is created if it is missing. Every run adds new items, unless \
            --key is given or the rows have ids ($id, as export --ids writes them): then a row changes the item that it \
            identifies, and only the attributes that the row has.

            Values of kinds that JSON lacks are objects with one key, as export writes them: {"$date": \
            milliseconds since 1970 or ISO 8601 text}, {"$uuid": "…"}, {"$data": Base64}, {"$decimal": "1.5"}, {"$url": \
            "…"}, {"$ref": {"type": "…", "id": "…"}}, {"$double": "nan"}.

            The cells of a CSV column are all of one kind: as --schema states, as the attribute is declared, or else as all \
            cells of the file can be read (of a pipe, the first 1000): true and false, whole numbers, numbers, times with \
            a zone, and otherwise texts. Codes such as 007 are texts. An empty cell is null, and "" an empty text.

            Keys are the names of the attributes, which have no dots. --rename OLD=NEW names an attribute otherwise; OLD may \
            lead into nested objects and arrays: --rename geometry.coordinates.0=longitude. --rename 'id=$id' makes a column \
            of UUIDs the items' ids. If a CSV file has no separator that is found in its header, or a name is missing, \
            twice there or has blanks around it, the message names the option that helps.

            --relation artist=Artist.ArtistId makes the value of the column ArtistId a relationship, artist, to the item of Artist \
            with that ArtistId, which must be unique there (import Artist with --key ArtistId first). The column itself is \
            not stored. --inverse artist=albums is the other side: the albums of an artist. --relation 'tracks=[Track.TrackId]' is \
            a relationship to many, to which a row adds an item, or all of an array; so a join table is imported as \
            import STORE Playlist rows.csv --key PlaylistId --relation 'tracks=[Track.TrackId]'. null is no item, and a value \
            that no item has makes the row bad. Rows may refer to rows of their own file in any order; those that refer to later \
            ones are kept in memory until its end, one to two KiB for each. With $id in place of KEY, the column has references or ids.

            --delete-rule albums=cascade declares that deleting an artist deletes its albums; info shows the rules, and \
            delete-rule changes them. A rule that contradicts the one in the store is an error, before any row is stored.

            A bad row is reported with its line. With --on-error stop, neither it nor the rows after it are stored, and the \
            message says how to continue; with --on-error skip the other rows are, and the exit code is 1 at the end.
            """)

    /// The formats of files.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case json, jsonl, csv, tsv

        /// Whether a file is CSV, by the format that was given, or else by its name.
        static func isCSV(_ format: Self?, _ file: String) -> Bool {
            format.map { [.csv, .tsv].contains($0) }
                ?? FileKind(fileName: URL(filePath: file).lastPathComponent).isCSV
        }
    }

    enum ErrorPolicy: String, ExpressibleByArgument, CaseIterable {
        case stop, skip
    }

    @Argument(help: .init(storeHelp), completion: .stores) var store: String
    @Argument(help: "The type of the items.") var type: String
    @Argument(help: "The file; - for standard input.", completion: .file()) var file: String
    @Option(help: "The format, independent of the file's name.") var format: Format?
    @Option(
        help: "The member that holds the array, if the file is an object with several.")
    var at: String?
    @Option(help: "Find items by this unique attribute, and change existing ones.")
    var key: String?
    @Option(help: "The treatment of the other rows if one is bad.") var onError = ErrorPolicy.stop
    @Option(help: "The number of rows to skip at the beginning of the file.") var skip = 0
    @Option(
        help: """
            The kinds of columns of a CSV file, such as zip:string,stars:int,opened:date: \(DataStoreValue.Kind.names).
            """)
    var schema: CSVSchema?
    @Flag(help: "The first row of a CSV file is not a header; --columns names the columns.")
    var noHeader = false
    @Option(
        name: [.customLong("separator"), .customLong("delimiter")],
        help: "The character between the cells of a CSV file, such as ';' or tab.")
    var delimiter: Delimiter?
    @Option(
        name: .customLong("rename"), parsing: .unconditionalSingleValue,
        help: .init(
            """
            Name the attribute NEW that comes from the key, column or key path OLD; may be repeated. If several OLD have \
            one NEW, the first with a value applies.
            """, valueName: "OLD=NEW"))
    var renames: [Rename] = []
    @Option(
        help: .init(
            """
            The names of all columns of a CSV file in their order, instead of those in its header; an empty name leaves \
            a column out.
            """, valueName: "a,b,…"),
        transform: { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) })
    var columns: [String]?
    @Option(
        name: .customLong("relation"), parsing: .unconditionalSingleValue,
        help: .init(
            """
            The relationship NAME to the item of TYPE whose unique attribute KEY has the value of the column (KEY, unless \
            another is named); [TYPE.KEY] for one to many. Repeatable.
            """, valueName: "NAME=TYPE.KEY[:COLUMN]"))
    var relations: [RelationArgument] = []
    @Option(
        name: .customLong("inverse"), parsing: .unconditionalSingleValue,
        help: .init(
            """
            The name of the relationship NAME on the other type, which is to many; INVERSE:one for one to one item. \
            Repeatable.
            """, valueName: "NAME=INVERSE"))
    var inverses: [InverseArgument] = []
    @Option(
        name: .customLong("ordered"), parsing: .unconditionalSingleValue,
        help: .init(
            "Keep the others of the relationship NAME to many, or of its inverse, in the order of the rows. Repeatable.",
            valueName: "NAME"))
    var ordered: [String] = []
    @Option(
        name: .customLong("delete-rule"), parsing: .unconditionalSingleValue,
        help: .init(
            """
            The effect on the others of the relationship NAME, or of its inverse, when an item is deleted: nullify (they lose \
            it; the default), cascade (they are deleted), deny or noAction. Repeatable.
            """, valueName: "NAME=RULE"))
    var deleteRules: [DeleteRuleArgument] = []
    @Flag(help: "Remove the blanks around the names and cells of a CSV file.") var trim = false

    func validate() throws {
        if at != nil, format.map({ $0 != .json }) == true {
            throw ValidationError("--at is for JSON; leave --format out, or write --format json.")
        }
        if at != nil, format == nil, isCSV {
            throw ValidationError("--at is for JSON, and “\(file.printable)” is read as CSV.")
        }
        if !isCSV, let option = optionForCSV {
            throw ValidationError(
                """
                \(option) is for CSV, and \(file == "-" ? "standard input" : "“\(file.printable)”") is read as JSON. Add --format \
                csv if it is CSV, or leave \(option) out.
                """)
        }
        if skip < 0 { throw ValidationError("--skip must be 0 or more.") }
        if noHeader, schema == nil, columns == nil {
            throw ValidationError("--no-header needs --columns, which names the columns.")
        }
        for inverse in inverses where !relations.contains(where: { $0.name == inverse.name }) {
            throw ValidationError(
                "--inverse \(inverse.name)=\(inverse.inverse) needs --relation \(inverse.name)=….")
        }
        for (place, inverse) in inverses.enumerated()
        where inverses[..<place].contains(where: { $0.name == inverse.name }) {
            throw ValidationError("--inverse \(inverse.name)=… is given twice.")
        }
        for name in ordered
        where !relations.contains(where: { $0.name == name && $0.isToMany })
            && !inverses.contains(where: { $0.inverse == name && $0.isToMany })
        {
            throw ValidationError(
                "--ordered \(name) needs a relationship to many of that name: --relation or --inverse."
            )
        }
        for (place, rule) in deleteRules.enumerated() {
            if deleteRules[..<place].contains(where: { $0.name == rule.name }) {
                throw ValidationError("--delete-rule \(rule.name)=… is given twice.")
            }
            let count = relationships(named: rule.name)
            if count == 0 {
                throw ValidationError(
                    "--delete-rule \(rule.name)=… needs a relationship of that name: --relation or --inverse."
                )
            }
            if count > 1 {
                throw ValidationError(
                    """
                    --delete-rule \(rule.name)=… means \(count) relationships of that name. Leave it out, and set the rules \
                    after the import: justpersist delete-rule STORE TYPE \(rule.name) \(rule.rule.rawValue).
                    """)
            }
        }
    }

    /// The number of relationships with a name that the options declare.
    private func relationships(named name: String) -> Int {
        relations.count { $0.name == name }
            + inverses.count { inverse in
                // A symmetric relationship is its own inverse.
                inverse.inverse == name
                    && (inverse.name != name
                        || relations.contains { $0.name == name && $0.type != type })
            }
    }

    /// Whether the file is read as CSV.
    private var isCSV: Bool { Format.isCSV(format, file) }

    /// An option that was given, and applies only to CSV.
    private var optionForCSV: String? {
        let options = [
            (schema != nil, "--schema"), (noHeader, "--no-header"),
            (delimiter != nil, "--separator"), (columns != nil, "--columns"), (trim, "--trim"),
        ]
        return options.first { $0.0 }?.1
    }

    /// Whether the file is CSV although its name states tab-separated values.
    private var isCSVByOption: Bool { format == .csv && file.lowercased().contains(".tsv") }

    private var settings: ItemImport {
        var settings = ItemImport(itemType: type, skipping: skip)
        if let at { settings.format = .json(member: at) }
        switch format {
        case .json: settings.format = .json(member: at)
        case .jsonl: settings.format = .jsonLines
        case .csv, .tsv: settings.format = .csv
        case nil: break
        }
        settings.csv = CSVOptions(
            delimiter: delimiter?.character ?? (format == .tsv ? "\t" : isCSVByOption ? "," : nil),
            hasHeader: !noHeader, columns: schema?.columns ?? [], names: columns)
        settings.csv.trimsBlanks = trim
        if !renames.isEmpty { settings.mapping = ItemMapping(renaming: renames) }
        settings.key = key
        let rules = Dictionary(uniqueKeysWithValues: deleteRules.map { ($0.name, $0.rule) })
        settings.relations = relations.map { relation in
            let inverse = inverses.first { $0.name == relation.name }
            return relation.relation(ofType: type, inverse, ordered: Set(ordered), rules)
        }
        settings.onError = onError == .skip ? .skip : .stop
        return settings
    }

    func run() throws {
        let url = URL(filePath: file)
        let isInput = file == "-"
        if !isInput { try ItemImport.check(url) }
        let opened = try OpenStore.writing(store)
        let interruption = Interruption()
        let line = ProgressLine()
        var badRows = BadRows(file: isInput ? "standard input" : url.lastPathComponent)
        func progress(_ progress: ItemImport.Progress) throws {
            try interruption.check(
                """
                Interrupted: \(progress.items.counted("item is", "items are")) in “\(type)”. To go on, import again with \
                --skip \(progress.rows).\(deferred(progress))
                """)
            let fraction = progress.totalBytes.map { Double(progress.bytes) / Double($0) }
            line.show(items: progress.items, fraction: fraction)
        }
        func note(_ row: ItemImport.BadRow) {
            line.clear()
            badRows.note(row)
        }
        let report =
            try isInput
            ? settings.run(
                .standardInput, named: "standard input", into: opened.store,
                progress: progress, badRow: note)
            : settings.run(url, into: opened.store, progress: progress, badRow: note)
        line.clear()
        try opened.close()
        let output = Output()
        try output.line(summary(report, file: badRows.file))
        try output.flush()
        for rename in renames
        where report.items + report.skipped > 0
            && report.keyPathsWithoutValues.contains(rename.keyPath)
        {
            StandardStreams.complain(
                "No row has “\(rename.keyPath.printable)”, which --rename names. Check the spelling."
            )
        }
        let unused = report.items > 0 ? report.relationsWithoutValues : []
        for relation in settings.relations where unused.contains(relation.relationship.name) {
            StandardStreams.writeError(
                """
                justpersist: No row has “\(relation.column.printable)”, so none is related by “\(relation.relationship.name.printable)”. If \
                another column has its values, name it: --relation NAME=TYPE.KEY:COLUMN.

                """)
        }
        if report.skipped > 0 {
            badRows.finish()
            throw ExitCode.failure
        }
    }

    /// The note on rows that an interrupted import has not stored.
    private func deferred(_ progress: ItemImport.Progress) -> String {
        if progress.deferred == 0 { return "" }
        let rows = progress.deferred.counted("row refers", "rows refer")
        return
            " But \(rows) to later ones, and are not stored: import the whole file into a new store."
    }

    private func summary(_ report: ItemImport.Report, file: String) -> String {
        if report.items + report.skipped == 0 {
            return skip > 0
                ? "0 items imported: “\(file)” has no row after the first \(skip)."
                : "0 items imported: there are none in “\(file)”."
        }
        var text = "\(report.created.counted("item")) imported into “\(type)”"
        if report.updated > 0 || key != nil { text += ", \(report.updated) updated" }
        if report.skipped > 0 { text += ", \(report.skipped.counted("row")) left out" }
        return text + "."
    }
}

/// Reports the first bad rows on standard error, and then the number of the others.
private struct BadRows {
    let file: String
    private var count = 0
    private static let limit = 20

    init(file: String) { self.file = file }

    mutating func note(_ row: ItemImport.BadRow) {
        count += 1
        guard count <= Self.limit else { return }
        let text = "“\(file)”, line \(row.line): \(row.reason)".printable
        StandardStreams.writeError("justpersist: \(text)\n")
    }

    func finish() {
        if count > Self.limit {
            let rest = (count - Self.limit).counted("more row was", "more rows were")
            StandardStreams.writeError("justpersist: \(rest) left out.\n")
        }
    }
}

/// The kinds of the columns of a CSV file, in the syntax of the command line.
struct CSVSchema: ExpressibleByArgument {
    let columns: [CSVOptions.Column]

    init?(argument: String) {
        var columns: [CSVOptions.Column] = []
        for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
            guard let colon = part.lastIndex(of: ":"), colon > part.startIndex else { return nil }
            let name = part[part.index(after: colon)...]
            guard let kind = DataStoreValue.Kind(named: name),
                !columns.contains(where: { $0.name == part[..<colon] })
            else { return nil }
            columns.append(.init(String(part[..<colon]), kind))
        }
        self.columns = columns
    }
}

/// A key path and the attribute for it, in the syntax of the command line.
struct Rename: ExpressibleByArgument {
    let keyPath: String
    let attribute: String

    init?(argument: String) {
        guard let equals = argument.lastIndex(of: "="),
            argument.index(after: equals) < argument.endIndex
        else { return nil }
        keyPath = String(argument[..<equals])
        attribute = String(argument[argument.index(after: equals)...])
    }
}

extension ItemMapping {
    /// A mapping that renames attributes.
    fileprivate init(renaming renames: [Rename]) {
        let keyPaths = Dictionary(grouping: renames, by: \.attribute)
        self.init(keyPaths.mapValues { .from($0.map(\.keyPath)) })
    }
}

/// A relationship and what identifies its items, in the syntax of the command line.
struct RelationArgument: ExpressibleByArgument {
    let name: String
    let isToMany: Bool
    let type: String
    private let key: String?
    private let column: String?

    init?(argument: String) {
        let sides = QuotedNames.parts(of: argument, separatedBy: "=", maxSplits: 1)
        guard sides.count == 2, !sides[0].isEmpty else { return nil }
        name = sides[0]
        var target = sides[1]
        isToMany = target.hasPrefix("[")
        var column: String?
        if isToMany {
            guard let end = target.lastIndex(of: "]") else { return nil }
            let rest = target[end...].dropFirst()
            if !rest.isEmpty {
                guard rest.first == ":", rest.count > 1 else { return nil }
                column = String(rest.dropFirst())
            }
            target = String(target[..<end].dropFirst())
        } else if let colon = target.firstIndex(of: ":") {
            column = String(target[colon...].dropFirst())
            target = String(target[..<colon])
            if column?.isEmpty ?? true { return nil }
        }
        // The name of a type may have dots, that of an attribute has none.
        guard let dot = target.lastIndex(of: "."), dot > target.startIndex else { return nil }
        let key = String(target[dot...].dropFirst())
        if key.isEmpty { return nil }
        type = String(target[..<dot])
        self.key = key == "$id" ? nil : key
        self.column = column
    }

    func relation(
        ofType owner: String, _ inverse: InverseArgument?, ordered: Set<String>,
        _ rules: [String: RelationshipSchema.DeleteRule]
    ) -> ItemImport.Relation {
        var relation = ItemImport.Relation(
            RelationshipSchema(
                name, to: type, isToMany: isToMany, isOrdered: isToMany && ordered.contains(name),
                deleteRule: rules[name] ?? .nullify),
            key: key, column: column,
            inverse: inverse.map { inverse in
                RelationshipSchema(
                    inverse.inverse, to: owner, isToMany: inverse.isToMany,
                    isOrdered: inverse.isToMany && ordered.contains(inverse.inverse),
                    deleteRule: rules[inverse.inverse] ?? .nullify, inverse: name)
            })
        relation.requiredRules = Set(rules.keys)
        return relation
    }
}

/// A relationship and its inverse, in the syntax of the command line.
struct InverseArgument: ExpressibleByArgument {
    let name: String
    let inverse: String
    let isToMany: Bool

    init?(argument: String) {
        let sides = QuotedNames.parts(of: argument, separatedBy: "=", maxSplits: 1)
        guard sides.count == 2, !sides[0].isEmpty, !sides[1].isEmpty else { return nil }
        name = sides[0]
        isToMany = !sides[1].hasSuffix(":one")
        inverse = isToMany ? sides[1] : String(sides[1].dropLast(4))
        if inverse.isEmpty { return nil }
    }
}

/// A relationship and its delete rule, in the syntax of the command line.
struct DeleteRuleArgument: ExpressibleByArgument {
    let name: String
    let rule: RelationshipSchema.DeleteRule

    init?(argument: String) {
        let sides = QuotedNames.parts(of: argument, separatedBy: "=", maxSplits: 1)
        guard sides.count == 2, !sides[0].isEmpty,
            let rule = RelationshipSchema.DeleteRule(rawValue: sides[1])
        else { return nil }
        (name, self.rule) = (sides[0], rule)
    }
}

/// A character between cells, in the syntax of the command line.
struct Delimiter: ExpressibleByArgument {
    let character: Character

    init?(argument: String) {
        let text = ["\\t", "tab"].contains(argument) ? "\t" : argument
        guard text.count == 1, let character = text.first, let byte = character.asciiValue,
            byte != 0x22, byte != 0x0a, byte != 0x0d
        else { return nil }
        self.character = character
    }
}
