import Foundation
import Workload

/// Kills a process while it copies a store into one of the other engine, some times one after the other, and runs it again.
///
/// The engine of a trial is that of the source.
struct MigrationCampaign: Campaign {
    let name = "migrate"
    let templates: Templates
    func goal(_ engine: Engine) -> Int { 100 }

    private static let items = 6_000
    /// How the items are copied: twice as often as records, as it is done between these engines unless told otherwise.
    private static let ways = ["records", "records", "contract", "update"]

    func points(_ subject: Subject) throws -> [String] {
        (0..<60).map { "\($0)/\(Self.ways[$0 % Self.ways.count])" }
    }

    func run(_ point: String, _ subject: Subject, in directory: Directory) throws -> Outcome {
        let parts = point.split(separator: "/").map(String.init)
        guard parts.count == 2, let number = Int(parts[0]) else {
            throw TortureError("“\(point)” is no point of \(name)")
        }
        let template = try templates.template("letters", subject) {
            try makeSource(subject, in: $0)
        }
        try Directory.copy(template.store, to: directory.store)
        let probe = Self.probe(subject, directory)
        let whole = try String(contentsOfFile: template.path + "/bytes", encoding: .utf8)
        let duration = try String(contentsOfFile: template.path + "/\(parts[1])", encoding: .utf8)
        guard let milliseconds = Int(duration) else { throw TortureError("\(duration) is no time") }

        var random = SeededGenerator(seed: subject.seed, number)
        var kills = 0
        for _ in 0..<random.int(in: 1..<4) {
            let child = try Child(Self.migration(probe, parts[1]), keepsErrors: true)
            // From before the target is there up to the end, as far as that can be foreseen.
            usleep(UInt32(random.int(in: 5_000..<30_000 + milliseconds * 1_100)))
            child.kill()
            let result = child.finish(within: 60)
            if result.end == .signal(SIGKILL), !result.output.contains("done") {
                kills += 1
            } else if result.end == .exit(0) || result.output.contains("done") {
                break
            } else {
                return .failed("after \(kills) kills: \(result.end): \(result.output)")
            }
        }
        if kills == 0 { return .missed }
        let last = try Child.run(
            Self.migration(probe, parts[1]), within: 120, keepsErrors: true)
        guard last.end == .exit(0) else {
            return .failed("run again after \(kills) kills: \(last.end): \(last.output)")
        }
        let judged = try Self.judge(probe)
        guard judged.end == .exit(0) else { return .failed("\(judged.end): \(judged.output)") }
        if judged.output != whole { return .failed("the source has changed: \(judged.output)") }
        // LevelDB writes its files anew whenever they are opened; what is in them was compared above.
        let data = "/data.mdb"
        if subject.engine == .lmdb,
            !FileManager.default.contentsEqual(
                atPath: template.store + data, andPath: directory.store + data)
        {
            return .failed("the source's file has changed")
        }
        let found = last.output.split(separator: "\n").first.map(String.init) ?? ""
        let state =
            switch found {
            case "found 0": "killed with nothing copied"
            case "found \(Self.items)": "killed with all copied"
            default: "killed with a part copied"
            }
        return Outcome(tallies: ["kills": kills, state: 1, "by \(parts[1])": 1])
    }

    /// Fills a store, and measures how long an undisturbed migration takes each way.
    private func makeSource(_ subject: Subject, in directory: Directory) throws {
        let probe = Self.probe(subject, directory)
        let made = try Child.run(
            probe.command("make-letters", "items=\(Self.items)"), within: 120, keepsErrors: true)
        guard made.end == .exit(0) else { throw TortureError("\(made.end): \(made.output)") }
        for way in Set(Self.ways) {
            let result = try Child.run(
                Self.migration(probe, way), within: 120, keepsErrors: true)
            guard result.end == .exit(0), let time = result.output.split(separator: " ").last else {
                throw TortureError("\(result.end): \(result.output)")
            }
            try write(time.trimmingCharacters(in: .whitespacesAndNewlines), directory, way)
            if way == Self.ways.last {
                let judged = try Self.judge(probe)
                guard judged.end == .exit(0) else {
                    throw TortureError("\(judged.end): \(judged.output)")
                }
                try write(judged.output, directory, "bytes")
            }
            try FileManager.default.removeItem(atPath: directory.path + "/target")
        }
    }

    private func write(_ text: String, _ directory: Directory, _ name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: directory.path + "/" + name))
    }

    private static func probe(_ subject: Subject, _ directory: Directory) -> ProbeRunner {
        let other = subject.engine == .lmdb ? Engine.leveldb : .lmdb
        return ProbeRunner(
            subject: subject, directory: directory,
            options: [
                "target=\(other.rawValue):\(directory.path)/target",
                // So that LevelDB sorts its log into files and merges them.
                "buffer=262144",
            ])
    }

    private static func migration(_ probe: ProbeRunner, _ way: String) -> [String] {
        probe.command("migrate-letters", "way=\(way)")
    }

    private static func judge(_ probe: ProbeRunner) throws -> Child.Result {
        try Child.run(
            probe.command("judge-letters", "items=\(items)"), within: 120, keepsErrors: true)
    }
}
