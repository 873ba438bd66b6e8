import ArgumentParser
import Foundation
import JustPersist
import JustPersistCommandLine

/// Rebuilds derived data from the items.
struct RepairCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract:
            "Rebuild derived data from the items, or save readable items into a new store.",
        discussion: """
            Indexes, numbers of items and the change log are rebuilt where they are damaged. In relationships, references to \
            items that do not exist become nil, also those whose items an import has not brought yet, and links of such items \
            are deleted; nothing else of an item is changed. Reports what was damaged, and what still is; the exit code is 0 \
            if the store is undamaged now. A store whose files are damaged in their structure is left untouched.

            With --into, the store is only read, and need not be in a state that can be opened: every item with a valid \
            checksum is written into a new store of the same kind, and indexes and numbers of items are rebuilt. Links of \
            lost items and references to them are dropped. Lists what is saved, lost or uncertain; the exit code is 0 if \
            nothing is lost.
            """)

    @Argument(help: .init(storeHelp), completion: .stores) var store: String
    @Option(
        help: "Save readable items into a new store in this directory, which must not exist.",
        completion: .directory)
    var into: String?
    @Flag(help: "Do not ask.") var yes = false
    @Flag(help: .hidden) var inProcess = false

    func run() throws {
        if inProcess { return try into.map(salvage) ?? repair() }
        if let into {
            return try SeparateProcess.run(
                ["repair", "--in-process", "--into=" + into, "--", store], reading: store)
        }
        if !yes { try confirm() }
        try SeparateProcess.run(["repair", "--in-process", "--yes", "--", store], reading: store)
    }

    private func confirm() throws {
        let question =
            """
            Damaged derived data in “\(store)” would be rebuilt from its items, and references to items that do not exist \
            deleted.
            """
        guard let goesOn = StandardStreams.confirms(question) else {
            throw DataStoreError(
                .invalidRequest, in: "repair",
                "\(question) \(StandardStreams.noConfirmation)")
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

    private func salvage(into directory: String) throws {
        guard !directory.isEmpty else {
            throw DataStoreError(
                .invalidStoreURL, in: "repair",
                "The directory of the new store has no name. Give a path.")
        }
        let damaged = try DataStores.make(
            store, options: DataStoreOptions(isReadOnly: true, createsIfMissing: false))
        let interruption = Interruption()
        let line = ProgressLine()
        let report = try damaged.salvage(
            into: URL(filePath: directory, directoryHint: .isDirectory)
        ) { progress in
            try interruption.check("Interrupted: no new store was written.")
            line.show(items: progress.items, fraction: progress.fraction)
        }
        line.clear()
        do { try SalvageText(report).write(newStore: directory) } catch is OutputClosed {
            // The exit code also shows whether anything is lost.
        }
        if report.isComplete { return }
        throw DataStoreError(
            .corrupted, in: "repair",
            """
            Not everything in “\(store)” could be saved. What could is in the new store in “\(directory)”; compare it \
            with a backup.
            """)
    }
}
