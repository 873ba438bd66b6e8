public import ArgumentParser
import Foundation
import JustPersist
import JustPersistCommandLine
public import JustPersistConformance

/// The program that `justpersist conformance` starts: runs the conformance kit against a backend.
@main
struct ConformanceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conformance", _superCommandName: "justpersist",
        abstract: "Find out whether a backend keeps the contract.",
        discussion: """
            STORE is a scheme, such as lmdb:. A path after it is the directory in which the stores of the \
            checks are created and removed; other files in it are not changed. In a PostgreSQL database the stores \
            of the checks remain, in schemas whose names begin with jp_check_. The exit code is 1 if a check fails.
            """,
        version: "justpersist-conformance \(Release.version)")

    @Argument(
        help: """
            lmdb:, leveldb:, memory: or reference:, with a directory for scratch or without; or \
            postgres://USER@HOST/DATABASE, also with options such as ?pooling=transaction
            """)
    var store: String
    @Option(help: "How thoroughly: quick, full or soak.") var profile = ConformanceProfile.quick
    @Option(
        help: "Patterns of the checks to run, separated by commas: 'iso/*,crud/set-nil-clears'.")
    var only: String?
    @Option(help: "The seed of all random choices; printed with each report.") var seed: UInt64?
    @Option(help: "The format of the report: table, json, markdown or junit.")
    var format = ConformanceReport.Format.table
    @Option(help: "Seconds without a sign of life after which a check has failed.")
    var timeout: Double = 30
    @Flag(help: "Run the checks in this process, for debuggers: one that traps ends it.")
    var inProcess = false

    static func main() {
        prepareProgram()
        ReferenceDataStore.register()
        MigratingStores.register()
        runProgram()
    }

    func validate() throws {
        guard timeout > 0, timeout.isFinite else {
            throw ValidationError("--timeout takes a number of seconds above 0.")
        }
        do throws(ConformanceOptionsError) { _ = try patterns } catch {
            throw ValidationError(error.description)
        }
    }

    private var patterns: [String] {
        get throws(ConformanceOptionsError) {
            try ConformanceOptions.patterns(in: only ?? "", of: "--only")
        }
    }

    func run() throws {
        let url = try StoreURL(store)
        let isOnServer = url.scheme == "postgres"
        // The options that say how to reach a server are the only ones that the checks do not choose.
        let chosen = url.options.map(\.name).filter { !isOnServer || Self.chosen.contains($0) }
        if !chosen.isEmpty {
            throw DataStoreError(
                .invalidStoreURL, in: "conformance",
                "The URL has options that the checks choose: \(chosen.listed). Leave them out."
            )
        }
        let fixture =
            isOnServer
            ? try Self.serverFixture(store) : try Conformance.fixture(scheme: url.scheme)
        var options = ConformanceOptions(
            profile: profile, only: try patterns,
            seed: seed ?? .random(in: 0 ... .max), timeout: timeout, runsInProcess: inProcess)
        if !url.location.isEmpty, !isOnServer {
            options.scratchDirectory = try StoreDirectory.url(url.location, scheme: url.scheme)
        }
        let report = waiting { [options] in
            await Conformance.report(
                on: fixture, options: options,
                children: .relaunching(arguments: [store]),
                progress: Progress().show)
        }
        Progress().clear()
        do { try show(report) } catch is OutputClosed {
            // The exit code also reports whether the contract is kept.
        }
        if !report.isConformant { throw ExitCode.failure }
    }

    private static let chosen: Set = [
        "store", "readOnly", "create", "durability", "changeLog", "threading",
    ]

    /// Stores in a database, with names that are made of the directories' paths.
    private static func serverFixture(_ url: String) throws -> any ConformanceFixture.Type {
        try Conformance.fixture(named: url, keepsFiles: false) { directory in
            var hash: UInt64 = 14_695_981_039_346_656_037
            for byte in directory.standardizedFileURL.path.utf8 {
                hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211
            }
            return "\(url)\(url.contains("?") ? "&" : "?")store=check_\(String(hash, radix: 36))"
        }
    }

    private func show(_ report: ConformanceReport) throws {
        let output = Output()
        switch format {
        case .json, .junit: try output.data(report.text(as: format))
        case .table, .markdown:
            let text = report.text(as: format)
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                try output.line(String(line))
            }
        }
        try output.flush()
    }

    /// Runs what suspends from the main thread, which serves its queue meanwhile: checks use it.
    private func waiting<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
        let value = Locked<Value?>(nil)
        Task {
            let result = await body()
            value.withLock { $0 = result }
            // Wakes the loop, whose turn ends with each block of the queue.
            DispatchQueue.main.async {}
        }
        while true {
            if let value = value.withLock({ $0 }) { return value }
            _ = RunLoop.main.run(mode: .default, before: .distantFuture)
        }
    }

    /// A line on the terminal with the check that has ended last.
    private struct Progress: Sendable {
        func clear() { write("") }

        @Sendable func show(_ result: CheckResult) { write(result.id) }

        private func write(_ text: String) {
            guard StandardStreams.isErrorTerminal else { return }
            StandardStreams.writeError("\r\u{1b}[K" + text.printable)
        }
    }
}

extension ConformanceProfile: ExpressibleByArgument {}
extension ConformanceReport.Format: ExpressibleByArgument {}
