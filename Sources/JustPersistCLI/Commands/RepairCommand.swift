import ArgumentParser
import Foundation
import JustPersist
import JustPersistCommandLine

/// Makes anew what follows from the items.
struct RepairCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Write indexes, numbers of items and the change log anew where they are damaged.",
        discussion: """
            No item is changed or deleted. Says what was wrong, and what still is; the exit code is 0 if the store \
            is sound now. A store whose files are damaged in their structure is left untouched: restore it from a \
            backup.
            """)

    @Argument(help: .init(storeHelp)) var store: String
    @Flag(help: "Do not ask.") var yes = false
    @Flag(help: .hidden) var inProcess = false

    func run() throws {
        if inProcess { return try repair() }
        if !yes { try confirm() }
        try SeparateProcess.run(["repair", "--in-process", "--yes", "--", store], reading: store)
    }

    private func confirm() throws {
        let question =
            "What is damaged in “\(store)” and follows from its items would be written anew."
        guard let goesOn = StandardStreams.confirms(question) else {
            throw DataStoreError(
                .invalidRequest, in: "repair",
                "\(question) Nothing was: nobody can be asked; add --yes.")
        }
        if !goesOn {
            throw DataStoreError(.invalidRequest, in: "repair", "Nothing was repaired.")
        }
    }

    private func repair() throws {
        let opened = try OpenStore.changing(store)
        let interruption = Interruption()
        let line = ProgressLine()
        let report = try opened.store.repair { progress in
            try interruption.check(
                "Interrupted: nothing, or a part, was repaired. To go on, repair again.")
            line.show(items: progress.items, fraction: progress.fraction)
        }
        line.clear()
        try opened.close()
        let output = Output()
        for problem in report.repaired { try output.line("repaired: " + problem.message) }
        for problem in report.remaining { try output.line("remains: " + problem.message) }
        if report.repaired.isEmpty, report.remaining.isEmpty {
            try output.line("Nothing to repair.")
        }
        try output.flush()
        if report.remaining.isEmpty { return }
        throw DataStoreError(
            .corrupted, in: "repair", "Problems left in “\(store)”: \(report.remaining.count).")
    }
}
