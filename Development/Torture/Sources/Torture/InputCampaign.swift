import Foundation

/// Gives the import of JSON and the predicate parser what nobody would write: errors are right, ends of processes not;
/// and asks indexed items whether they are found as others are.
struct InputCampaign: Campaign {
    /// What is read.
    enum Kind: String { case json, predicates, indexes }

    let kind: Kind
    private static let inputs = 500

    var name: String { kind.rawValue }
    var engines: [Engine] { [.lmdb] }
    func goal(_ engine: Engine) -> Int { kind == .indexes ? 1_000_000 : 50_000 }
    var weight: Double { 1 }

    func points(_ subject: Subject) throws -> [String] { (0..<200).map { "\($0)" } }

    func run(_ point: String, _ subject: Subject, in directory: Directory) throws -> Outcome {
        // The probe leaves each input in a file before it is read, so that the one that ends it is known.
        let result = try Child.run(
            [
                ProbeRunner.program, kind.rawValue, "seed=\(subject.seed)", "batch=\(point)",
                "inputs=\(Self.inputs)", "file=\(directory.path)/input",
            ], within: 120)
        guard result.end == .exit(0), let words = result.output.split(separator: "\n").last,
            let accepted = Int(words.split(separator: " ").last ?? "")
        else {
            return .failed(
                "the probe ended with \(result.end) on \(directory.path)/input: \(result.output)")
        }
        return Outcome(
            count: Self.inputs,
            tallies: ["accepted": accepted, "refused": Self.inputs - accepted])
    }
}
