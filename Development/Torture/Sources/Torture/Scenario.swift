import Foundation
import Workload

/// What a probe does while it is killed or refused its system calls.
enum Scenario: String, CaseIterable {
    /// It makes the store.
    case fresh
    /// It goes on with a store that has been worked in, closed and opened.
    case grown
    /// It goes on with a store whose process was killed.
    case orphaned

    /// The blocks that are in the store before.
    var before: Int {
        switch self {
        case .fresh: 0
        case .grown: 30
        case .orphaned: 6
        }
    }

    /// The blocks that are tried.
    var blocks: Range<Int> { before..<before + 10 }

    /// Small buffers, so that LevelDB sorts its log into files and merges them.
    static let options = ["buffer=65536"]

    /// Makes the start of the scenario in a directory.
    func prepare(_ subject: Subject, in directory: Directory, from templates: Templates) throws {
        guard self != .fresh else { return }
        let template = try templates.template(rawValue, subject) { template in
            let probe = ProbeRunner(subject: subject, directory: template, options: Self.options)
            let end: Child.End = self == .orphaned ? .signal(SIGKILL) : .exit(0)
            let result = try Child.run(
                probe.work(
                    0..<before, self == .orphaned ? "die=1" : "reopen=12", "talk=1"))
            guard result.end == end else {
                throw TortureError("the start cannot be made: \(result.end) \(result.output)")
            }
        }
        try Directory.copy(template.store, to: directory.store)
        try FileManager.default.copyItem(
            atPath: template.acknowledgements, toPath: directory.acknowledgements)
    }

    /// The command that goes on with it.
    func command(_ subject: Subject, in directory: Directory) -> [String] {
        ProbeRunner(subject: subject, directory: directory, options: Self.options)
            .work(blocks, "reopen=5", "examine=4", "existing=\(self == .fresh ? 0 : 1)", "talk=1")
    }

    /// Judges what is left.
    func assess(
        _ subject: Subject, in directory: Directory, mayKeepRefused: Bool
    ) throws -> Outcome {
        try ProbeRunner(subject: subject, directory: directory, options: Self.options)
            .assess(
                mayKeepRefused: mayKeepRefused, further: blocks.upperBound + 10,
                existing: self != .fresh
            )
    }
}
