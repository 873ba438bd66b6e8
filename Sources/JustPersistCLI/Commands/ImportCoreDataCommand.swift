import ArgumentParser
import Foundation
import JustPersist
import JustPersistCommandLine
import JustPersistCoreData

/// Imports a store of Core Data or SwiftData into a store.
struct ImportCoreDataCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import-coredata",
        abstract: "Import a store of Core Data or SwiftData into a store.",
        discussion: """
            SOURCE is the SQLite file of an app, such as Model.sqlite or default.store. It is read from a copy, and never changed; \
            end the app first. Its -wal file and its _SUPPORT directory have to be beside it. Each entity becomes a type, with its \
            attributes, relationships, delete rules, indexes and defaults. The store is created if it is missing.

            Items have ids that follow from their objects: the next import changes them, and adds new ones. Items whose rows were \
            deleted stay, and are counted.

            --dry-run reads everything, and shows what would come and what cannot be mapped; it does not open STORE.
            """)

    /// The treatment of missing files.
    enum MissingFiles: String, ExpressibleByArgument, CaseIterable {
        case fail, skip
    }

    /// The format of the report.
    enum ReportFormat: String, ExpressibleByArgument, CaseIterable {
        case text, json
    }

    @Argument(help: "The store of Core Data.", completion: .file()) var source: String
    @Argument(help: .init(storeHelp), completion: .stores) var store: String
    @Option(
        help: """
            The model of a store that does not have its own: an .xcdatamodeld, an .xcdatamodel, a .momd or a .mom. The version that \
            fits is chosen.
            """, completion: .file())
    var model: String?
    @Option(
        help: .init(
            "Import these entities only, and those that inherit from them.", valueName: "A,B,…"),
        transform: { $0.split(separator: ",").map(String.init) })
    var entities: [String]?
    @Option(help: "The treatment of values in files of their own, if a file does not exist.")
    var missingExternal = MissingFiles.fail
    @Flag(help: "Guess the model from the tables, if the store has none and none is given.")
    var guess = false
    @Flag(help: "Show what an import would bring, and write nothing.") var dryRun = false
    @Option(help: "The format of the report.") var report = ReportFormat.text
    @Flag(
        help:
            "Add the URI of each object with the id of its item to the report, which must be JSON.")
    var uris = false

    func validate() throws {
        if uris, report != .json { throw ValidationError("--uris needs --report json.") }
        if entities?.isEmpty ?? false { throw ValidationError("--entities needs a name.") }
    }

    func run() throws {
        var settings = CoreDataImport(URL(filePath: source), model: model.map { URL(filePath: $0) })
        settings.entities = entities.map(Set.init)
        settings.missingFiles = missingExternal == .skip ? .skip : .fail
        settings.guessesModel = guess
        settings.reportsURIs = uris
        let interruption = Interruption()
        let line = ProgressLine()
        func progress(_ progress: CoreDataImport.Progress) throws {
            try interruption.check(
                """
                Interrupted: \(progress.items.counted("item is", "items are")) written. To go on, import again.
                """)
            let fraction = progress.totalItems.map { Double(progress.items) / Double(max($0, 1)) }
            line.show(items: progress.items, fraction: fraction)
        }
        let result: CoreDataImport.Report
        if dryRun {
            result = try settings.examine(progress)
        } else {
            var opened: OpenStore?
            func target() throws -> any DataStore {
                let target = try OpenStore.writing(store)
                opened = target
                return target.store
            }
            result = try settings.run(into: try target(), progress: progress)
            try opened?.close()
        }
        line.clear()
        let output = Output()
        if report == .json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try output.bytes(try encoder.encode(result) + Data("\n".utf8))
        } else {
            for line in lines(result) { try output.line(line) }
        }
        try output.flush()
    }

    private func lines(_ report: CoreDataImport.Report) -> [String] {
        var table = TextTable(
            header: ["TYPE", "ROWS"] + (dryRun ? [] : ["CREATED", "UPDATED", "LEFT"]))
        for entity in report.entities {
            let counts = [entity.created, entity.updated, entity.left].map(String.init)
            table.append([entity.name, String(entity.rows)] + (dryRun ? [] : counts))
        }
        var lines = table.lines() + [""]
        var links = TextTable(header: ["RELATIONSHIP", "TO", "LINKS"])
        for link in report.links {
            links.append([
                "\(link.entity).\(link.relationship)", link.destination, String(link.ends),
            ])
        }
        if !report.links.isEmpty { lines += links.lines() + [""] }
        lines.append("Model: \(report.model).")
        for table in report.leftOut where table.rows > 0 {
            lines.append("Left out: \(table.name), \(table.rows.counted("row")).")
        }
        for note in report.notes {
            let place = [note.entity, note.property].compactMap(\.self).joined(separator: ".")
            let rows =
                note.rows.isEmpty
                ? "" : ": " + note.rows.map { "p\($0)" }.joined(separator: ", ")
            let more = note.rows.count < note.count ?? 0 ? ", …" : ""
            let count =
                note.count.map {
                    " (\($0.counted("row"))\(rows.isEmpty ? "" : rows + more))"
                } ?? ""
            lines.append((place.isEmpty ? "" : "\(place) ") + note.text + count + ".")
        }
        if dryRun { lines.append("Nothing was written.") }
        return lines
    }
}
