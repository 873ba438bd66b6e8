import ArgumentParser
import Foundation
import JustPersist
import JustPersistCommandLine

/// Checks a whole store.
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Read everything in a store, and report damage.")

    @Argument(help: .init(storeHelp), completion: .stores) var store: String
    @Option(
        parsing: .unconditional,
        help: "Seconds without progress after which the check is given up.")
    var patience = 300
    @Flag(help: .hidden) var inProcess = false

    func validate() throws {
        if patience < 1 { throw ValidationError("--patience must be at least 1.") }
    }

    func run() throws {
        if inProcess { return try check() }
        try SeparateProcess.run(
            ["verify", "--in-process", "--patience", String(patience), "--", store],
            reading: store)
    }

    private func check() throws {
        let watchdog = Watchdog(store, patience: patience)
        let opened = try OpenStore.reading(store)
        let interruption = Interruption()
        let line = ProgressLine()
        let report = try opened.store.verify { progress in
            watchdog.tick()
            try interruption.check("Interrupted: not everything was read.")
            line.show(items: progress.items, fraction: progress.fraction)
        }
        line.clear()
        var linkTypes: Set<String> = []
        // The report of a damaged store must not fail because of its catalog.
        try? opened.store.performRead { db in linkTypes = try db.linkTypeKeys() }
        do { try show(report, linkTypes) } catch is OutputClosed {
            // The exit code also shows whether the store is undamaged.
        }
        if report.problems.isEmpty { return }
        throw DataStoreError(
            .corrupted, in: "verify", "Problems found in “\(store)”: \(report.problems.count).")
    }

    private func show(_ report: VerificationReport, _ linkTypes: Set<String>) throws {
        var table = TextTable(header: ["TYPE", "ITEMS"])
        for (type, count) in report.itemCounts.sorted(by: { $0.key < $1.key }) {
            table.append([linkTypes.contains(type) ? "\(type) (links)" : type, String(count)])
        }
        let output = Output()
        for line in table.lines() { try output.line(line) }
        for problem in report.problems { try output.line(problem.message) }
        if report.problems.isEmpty { try output.line("OK") }
        try output.flush()
    }
}
