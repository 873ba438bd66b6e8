import ArgumentParser
import Foundation

/// The command: compares the sides, or measures the memory of one side in a separate process.
@main
struct BenchmarkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "StoreBenchmark",
        abstract: "Compares JustPersist with GRDB and with LMDB and LevelDB through C.",
        subcommands: [
            CompareCommand.self, ChildrenCommand.self, PlannerCommand.self, GraphCommand.self,
            MigrateCommand.self, SchemaCommand.self, PostgresCommand.self,
            MemoryCommand.self,
        ],
        defaultSubcommand: CompareCommand.self)
}

/// Runs the operations on all sides in turn, and reports throughput, ratios and memory.
struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare", abstract: "Compares the sides. This is what runs by default.")

    @Option(help: "How many restaurants each store holds, and as many inspections.")
    var items = 100_000

    @Option(help: "How many rounds are counted, after one that warms up.")
    var rounds = 5

    @Option(
        help: ArgumentHelp(
            "The operations to run, with commas between them.",
            discussion: Operation.allCases.map(\.rawValue).joined(separator: ", ")),
        transform: Self.operations)
    var only: [Operation] = []

    @Option(
        help: ArgumentHelp(
            "The sides to run, with commas between them.",
            discussion: Side.all.map(\.name).joined(separator: ", ")),
        transform: Self.sides)
    var sides = Side.all

    @Flag(help: "Measures what an item costs in stores of a tenth, one and ten times --items.")
    var growth = false

    @Option(help: "A file to write the report to, as JSON.")
    var json: String?

    @Option(
        help:
            "A folder to write the ratios to as a chart: speed.svg, and speed~dark.svg for dark pages."
    )
    var chart: String?

    func validate() throws {
        guard items > 0, rounds > 0 else {
            throw ValidationError("--items and --rounds must be at least 1.")
        }
        guard !growth || (items >= 10 && !only.contains(.memory)) else {
            throw ValidationError("--growth needs at least 10 --items, and measures no memory.")
        }
    }

    func run() throws { try FileManager.default.withBenchmarkDirectory(run(in:)) }

    private func run(in directory: URL) throws {
        let sizes = growth ? [items / 10, items, items * 10] : [items]
        let contenders = sizes.flatMap { size in
            let workload = Workload(items: size, rounds: rounds + 1)
            return sides.map { side in
                Contender(
                    side: side, directory: directory.appending(path: "\(side.name) \(size)"),
                    workload: workload)
            }
        }
        var report = Report(
            machine: Machine.line, date: Date(),
            versions: Dictionary(uniqueKeysWithValues: sides.map { ($0.name, $0.version) }),
            sizes: sizes, rounds: rounds, load: [Machine.load])

        let operations = Operation.allCases.filter {
            only.isEmpty ? !growth || Operation.growing.contains($0) : only.contains($0)
        }
        for race in Operation.races(of: operations.filter { $0 != .memory }) {
            log(race.map(\.title).joined(separator: "; "))
            let lanes = race.flatMap { operation in
                contenders.map { Race.Lane(contender: $0, operation: operation) }
            }
            let timings = try Race(lanes: lanes, rounds: rounds).run()
            if growth { report.addGrowth(timings) } else { report.add(timings) }
            for lane in lanes { try lane.contender.finish(lane.operation) }
        }
        if operations.contains(.memory) {
            log(Operation.memory.title)
            report.memory = try contenders.compactMap { try $0.measureMemory() }
        }
        for contender in contenders { try contender.close() }
        report.load.append(Machine.load)

        print(report.table)
        if let json {
            try report.json().write(to: URL(filePath: json))
        }
        if let chart {
            for appearance in Report.Appearance.allCases {
                let file = URL(filePath: chart).appending(path: "speed\(appearance.suffix).svg")
                try Data(report.chart(appearance).utf8).write(to: file)
            }
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

    private static func sides(_ names: String) throws -> [Side] {
        try names.split(separator: ",").map { name in
            guard let side = Side.all.first(where: { $0.name == name }) else {
                throw ValidationError("There is no side named \(name).")
            }
            return side
        }
    }
}
