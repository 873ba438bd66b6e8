import ArgumentParser
import Foundation
import JustPersist
import JustPersistCommandLine
import JustPersistImportExport

/// Brings a file into a store.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Bring a file of JSON objects into a store.",
        discussion: """
            The file is a JSON array, JSON Lines, or an object with an array in it. The store is made if \
            it is not there. Every run adds new items.
            """)

    @Argument(help: .init(storeHelp)) var store: String
    @Argument(help: "The type that the items get.") var type: String
    @Argument(help: "The file.", completion: .file()) var file: String
    @Option(
        help: "The member that holds the array, where the file is an object with several.")
    var at: String?
    @Flag(help: "Read the file as JSON Lines, whatever its name is.") var lines = false
    @Option(help: "How many objects at the start of the file to leave out.") var skip = 0

    func validate() throws {
        if lines, at != nil { throw ValidationError("--at and --lines exclude each other.") }
        if skip < 0 { throw ValidationError("--skip must be 0 or more.") }
    }

    func run() throws {
        let layout: JSONImport.Layout = lines ? .lines : at.map { .member($0) } ?? .automatic
        let file = URL(filePath: file)
        try JSONImport.check(file)
        let opened = try OpenStore.writing(store)
        let interruption = Interruption()
        let line = ProgressLine()
        let count = try JSONImport(itemType: type, layout: layout, skipping: skip)
            .run(file, into: opened.store) { progress in
                try interruption.check(
                    """
                    Interrupted: \(progress.items) items are in “\(type)”. To go on, import again with \
                    --skip \(skip + progress.items).
                    """)
                let fraction = progress.totalBytes.map { Double(progress.bytes) / Double($0) }
                line.show(items: progress.items, fraction: fraction)
            }
        line.clear()
        try opened.close()
        let output = Output()
        try output.line(
            count == 0
                ? "0 items imported: there are none in “\(file.lastPathComponent)”."
                : "\(count) items imported into “\(type)”.")
        try output.flush()
    }
}
