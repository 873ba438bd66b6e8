import Foundation
import JustPersist
import Workload

/// One process, one task: `TortureProbe work store=lmdb:/path acks=/path seed=1 to=20`.
@main
enum Probe {
    static func main() {
        var words = CommandLine.arguments.dropFirst()
        let task = words.popFirst() ?? ""
        do {
            let arguments = try Arguments(words)
            switch task {
            case "work":
                var worker = try Worker(arguments)
                exit(try worker.run())
            case "judge":
                CrashTrace.install()
                say(try Judge.run(arguments).line)
            case "salvage":
                CrashTrace.install()
                say(try Salvager.run(arguments).line)
            case "fill":
                var filler = try Filler(arguments)
                try filler.run()
            case "hold": try hold(arguments)
            case "json": try JSONInputs(arguments).run()
            case "predicates": try PredicateInputs(arguments).run()
            case "indexes": try IndexInputs(arguments).run()
            case "make-items": try IndexedItems.make(arguments)
            case "build-index": try IndexedItems.build(arguments)
            case "judge-index": try IndexedItems.judge(arguments)
            case "make-letters": try MigratedStores.make(arguments)
            case "migrate-letters": try MigratedStores.migrate(arguments)
            case "judge-letters": try MigratedStores.judge(arguments)
            case "graph": try GraphWork.run(arguments)
            case "schema-release": try SchemaReleases(arguments).run()
            case "judge-schema": try SchemaReleases(arguments).judge()
            case "live": try LiveMigration(arguments).run()
            case "judge-live": try LiveMigration(arguments).judge()
            default:
                throw Arguments.Failure("“\(task)” is no task")
            }
        } catch let failure as Arguments.Failure {
            fail(.misused, failure.message)
        } catch {
            fail(.misused, "\(error)")
        }
    }

    /// Reads, and stays in the read block until it is killed.
    private static func hold(_ arguments: Arguments) throws {
        let store = try arguments.store
        try store.open()
        try store.performRead { accessor in
            _ = try accessor.count(LedgerEntry.self)
            try Data().write(to: URL(filePath: try arguments.text("ready")))
            while true { pause() }
        }
    }

    /// Writes a line to standard output, in one system call.
    static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            written += count
        }
    }

    static func fail(_ status: ProbeStatus, _ message: String) -> Never {
        say("probe: \(message)")
        exit(status.rawValue)
    }
}

extension Arguments {
    /// Whether each refusal is told on standard output.
    var isTalkative: Bool { (try? flag("talk")) ?? false }
}
