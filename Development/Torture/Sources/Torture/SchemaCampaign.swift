import Foundation
import Workload

/// Kills a process while it applies a schema plan: on each path through five releases, at each event of their steps.
///
/// An event is the beginning of a step or of a batch, and the change of an item.
struct SchemaCampaign: Campaign {
    let name = "schema"
    func goal(_ engine: Engine) -> Int { Self.paths * 12 }

    private static let paths = 32
    private static let events = 24

    func points(_ subject: Subject) throws -> [String] {
        (0..<Self.paths).flatMap { path in
            (0..<Self.events).flatMap { event in
                ["once", "again"].map { "\(path)/\(event)/\($0)" }
            }
        }
    }

    func run(_ point: String, _ subject: Subject, in directory: Directory) throws -> Outcome {
        let parts = point.split(separator: "/").map(String.init)
        guard parts.count == 3, let path = Int(parts[0]), let event = Int(parts[1]) else {
            throw TortureError("“\(point)” is no point of \(name)")
        }
        let probe = ProbeRunner(subject: subject, directory: directory)
        let releases = (1...5).filter { path & 1 << ($0 - 1) != 0 }
        var kills = 0
        // The last release opens what the others left.
        let runs = releases.map { ["release=\($0)"] } + [["release=5", "open=1"]]
        for run in runs {
            var isDone = false
            var attempts = 0
            while !isDone {
                // A run that dies before its first batch gets no further; the next one must complete all.
                let dies = parts[2] == "again" ? attempts < 12 : attempts == 0
                let result = try Child.run(
                    probe.command("schema-release") + run + (dies ? ["die=\(event)"] : []))
                attempts += 1
                switch result.end {
                case .exit(0): isDone = true
                case .signal(SIGKILL) where dies: kills += 1
                default: return .failed("\(run) ended with \(result.end): \(result.output)")
                }
            }
        }
        if kills == 0 { return .missed }
        let judged = try Child.run(
            probe.command(
                "judge-schema", "releases=\(releases.map(String.init).joined(separator: ","))",
                "existing=1"), within: 60)
        guard judged.end == .exit(0) else { return .failed("\(judged.end): \(judged.output)") }
        return Outcome(tallies: ["kills": kills, "path \(path)": 1])
    }
}
