import Foundation
import Workload

/// Carries out random blocks on five related types, kills the process in the middle of commits, and compares the store with
/// a graph.
///
/// A trial counts once for each operation that is carried out: 500,000 of each engine in a long run.
struct GraphCampaign: Campaign {
    let name = "graph"
    let weight = 2.0
    func goal(_ engine: Engine) -> Int { 500_000 }

    func points(_ subject: Subject) throws -> [String] { (0..<300).map { "\($0)" } }

    func run(_ point: String, _ subject: Subject, in directory: Directory) throws -> Outcome {
        var random = SeededGenerator(seed: subject.seed, Int(point) ?? 0)
        let own = Subject(engine: subject.engine, seed: random.next())
        let probe = ProbeRunner(
            subject: own, directory: directory,
            options: ["buffer=65536", "acks=\(directory.acknowledgements)"])
        var outcome = Outcome(count: 0)
        for attempt in 0..<4 {
            let result = try Child.run(
                probe.command("graph", "attempt=\(attempt)", "kill=\(attempt < 3 ? 1 : 0)"),
                within: 120)
            switch result.end {
            case .signal(SIGKILL): outcome.tallies["kills", default: 0] += 1
            case .exit(0):
                for line in result.output.split(separator: "\n") {
                    let parts = line.split(separator: "=")
                    guard parts.count == 2, let count = Int(parts[1]) else { continue }
                    outcome.tallies[String(parts[0]), default: 0] += count
                }
                outcome.count = outcome.tallies["operations"] ?? 0
                return outcome
            default: return .failed("\(result.end): \(result.output)")
            }
        }
        return .failed("the last process was killed too")
    }
}
