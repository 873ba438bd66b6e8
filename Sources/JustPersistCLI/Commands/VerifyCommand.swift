import ArgumentParser
import Foundation
import JustPersist
import JustPersistCommandLine

/// Checks a whole store.
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Read everything in a store, and report what is damaged.")

    @Argument(help: .init(storeHelp)) var store: String
    @Flag(help: .hidden) var inProcess = false

    func run() throws {
        if inProcess { try check() } else { try checkInChild() }
    }

    /// Has another process do the work: damaged files can end the one that reads them.
    private func checkInChild() throws {
        let child = Process()
        child.executableURL = Bundle.main.executableURL
        child.arguments = ["verify", "--in-process", "--", store]
        child.environment = ProcessInfo.processInfo.environment
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { _, new in new }
        try child.run()
        child.waitUntilExit()
        if child.terminationReason == .uncaughtSignal {
            throw DataStoreError(
                .corrupted, in: "verify",
                """
                “\(store)” is damaged beyond reading (signal \(child.terminationStatus)). Restore it \
                from a backup.
                """)
        }
        if child.terminationStatus != 0 { throw ExitCode(child.terminationStatus) }
    }

    private func check() throws {
        let opened = try OpenStore.reading(store)
        let report = try opened.store.verify()
        do { try show(report) } catch is OutputClosed {
            // Whether the store is sound is told by the exit code, too.
        }
        if report.problems.isEmpty { return }
        throw DataStoreError(
            .corrupted, in: "verify", "Problems found in “\(store)”: \(report.problems.count).")
    }

    private func show(_ report: VerificationReport) throws {
        var table = TextTable(header: ["TYPE", "ITEMS"])
        for (type, count) in report.itemCounts.sorted(by: { $0.key < $1.key }) {
            table.append([type, String(count)])
        }
        let output = Output()
        for line in table.lines() { try output.line(line) }
        for problem in report.problems { try output.line(problem.message) }
        if report.problems.isEmpty { try output.line("OK") }
        try output.flush()
    }
}
