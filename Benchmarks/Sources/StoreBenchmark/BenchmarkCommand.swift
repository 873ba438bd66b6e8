import ArgumentParser
import Foundation

/// The command: compares the sides, or measures one side's memory for the process that compares.
@main
struct BenchmarkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "StoreBenchmark",
        abstract: "Compares JustPersist with GRDB and with LMDB and LevelDB through C.",
        subcommands: [CompareCommand.self, MemoryCommand.self],
        defaultSubcommand: CompareCommand.self)
}

/// Runs the operations on all sides in turn, and reports throughput, ratios and memory.
struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare", abstract: "Compares all sides. This is what runs by default.")

    @Option(help: "How many restaurants each store holds.")
    var items = 100_000

    @Option(help: "How many rounds are counted, after one that warms up.")
    var rounds = 5

    @Option(
        help: ArgumentHelp(
            "The operations to run, with commas between them.",
            discussion: Operation.allCases.map(\.rawValue).joined(separator: ", ")),
        transform: Self.operations)
    var only = Operation.allCases

    @Option(help: "A file to write the report to, as JSON.")
    var json: String?

    func validate() throws {
        guard items > 0, rounds > 0 else {
            throw ValidationError("--items and --rounds must be at least 1.")
        }
    }

    func run() throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "justpersist-benchmark-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let workload = Workload(items: items, rounds: rounds + 1)
        let contenders = try Side.all.map {
            try Contender(
                side: $0, directory: directory.appending(path: $0.name), workload: workload)
        }
        var report = Report(
            machine: Machine.line, date: Date(),
            versions: Dictionary(uniqueKeysWithValues: Side.all.map { ($0.name, $0.version) }),
            items: items, rounds: rounds,
            encodedBytes: workload.restaurants.reduce(0) { $0 + RawRecord.size(of: $1) })

        for operation in only where operation != .memory {
            log(operation.title)
            let timings = try Race(contenders: contenders, rounds: rounds).run(operation)
            report.add(operation, items: workload.items(of: operation), timings)
        }
        if only.contains(.memory) {
            log(Operation.memory.title)
            report.memory = try contenders.compactMap { try $0.measureMemory() }
        }
        for contender in contenders { try contender.close() }

        print(report.table)
        if let json {
            try report.json().write(to: URL(filePath: json))
        }
    }

    private func log(_ line: String) {
        FileHandle.standardError.write(Data("\(line) …\n".utf8))
    }

    private static func operations(_ names: String) throws -> [Operation] {
        try names.split(separator: ",").map { name in
            guard let operation = Operation(rawValue: String(name)) else {
                throw ValidationError("There is no operation named \(name).")
            }
            return operation
        }
    }
}
