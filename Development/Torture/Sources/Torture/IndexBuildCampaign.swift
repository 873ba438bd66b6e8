import Foundation
import Workload

/// Kills a process while it writes the entries of an index over items that were there before.
struct IndexBuildCampaign: Campaign {
    let name = "index-build"
    let templates: Templates
    func goal(_ engine: Engine) -> Int { 500 }

    private static let items = 200_000

    func points(_ subject: Subject) throws -> [String] { (0..<50).map { "\($0)" } }

    func run(_ point: String, _ subject: Subject, in directory: Directory) throws -> Outcome {
        let template = try templates.template("items", subject) { directory in
            let made = try Child.run(
                ProbeRunner(subject: subject, directory: directory)
                    .command("make-items", "items=\(Self.items)"), within: 120)
            guard made.end == .exit(0) else { throw TortureError("\(made.end): \(made.output)") }
        }
        try Directory.copy(template.store, to: directory.store)
        var random = SeededGenerator(seed: subject.seed, Int(point) ?? 0)
        let probe = ProbeRunner(subject: subject, directory: directory)
        let builder = try Child(probe.command("build-index", "existing=1"))
        // Some kills come before the first transaction, some at the end.
        usleep(UInt32(random.int(in: 10_000..<700_000)))
        builder.kill()
        let built = builder.finish(within: 30)
        if built.output.contains("ready") { return .missed }
        let judged = try Child.run(
            probe.command("judge-index", "items=\(Self.items)", "existing=1"), within: 120)
        guard judged.end == .exit(0) else { return .failed("\(judged.end): \(judged.output)") }
        return .seen(judged.output.contains("completed") ? "completed later" : "complete")
    }
}
