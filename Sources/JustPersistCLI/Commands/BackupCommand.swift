import ArgumentParser
import Foundation
import JustPersist
import JustPersistCommandLine

/// Copies the files of a store, which may be in use.
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Write a copy of a store's committed state.",
        discussion: """
            The copy is complete and synced when it appears at its place; to restore it, open it or move it. An LMDB \
            store may be in use by other processes, a LevelDB store may not.
            """)

    @Argument(help: .init(storeHelp), completion: .stores) var store: String
    @Argument(help: "The directory of the copy, which must not exist.", completion: .directory)
    var directory: String
    @Option(help: "An earlier backup of a LevelDB store, whose unchanged files are shared.")
    var since: String?
    @Flag(help: "Verify the copy.") var verify = false
    @Flag(help: .hidden) var inProcess = false

    func run() throws {
        if inProcess { return try backUp() }
        var arguments = ["backup", "--in-process"]
        if let since { arguments += ["--since=" + since] }
        try SeparateProcess.run(arguments + ["--", store, directory], reading: store)
        guard verify, let colon = store.firstIndex(of: ":") else { return }
        let copy = String(store[...colon]) + directory
        try SeparateProcess.run(["verify", "--in-process", "--", copy], reading: copy)
    }

    private func backUp() throws {
        guard !directory.isEmpty else {
            throw DataStoreError(
                .invalidStoreURL, in: "backup",
                "The directory of the copy has no name. Give a path.")
        }
        let opened = try OpenStore.reading(store)
        let interruption = Interruption()
        let report = try opened.store.backUp(
            to: URL(filePath: directory, directoryHint: .isDirectory),
            since: since.map { URL(filePath: $0, directoryHint: .isDirectory) }
        ) { _ in
            try interruption.check("Interrupted: no backup was written.")
        }
        let output = Output()
        try output.line(
            report.bytes.counted("byte")
                + (report.sharedBytes > 0 ? ", \(report.sharedBytes) of them shared" : ""))
        try output.flush()
    }
}
