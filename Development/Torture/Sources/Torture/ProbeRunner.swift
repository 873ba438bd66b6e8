import Foundation
import Workload

/// Starts probes, and reads what they leave.
struct ProbeRunner: Sendable {
    /// The path of the probe program, which stands beside the driver's.
    static let program: String = {
        // The tests run inside a bundle's executable, in the same directory.
        let own =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? CommandLine.arguments[0]
        return URL(filePath: own).deletingLastPathComponent().appending(path: "TortureProbe").path
    }()

    let subject: Subject
    let directory: Directory
    /// Where the store is.
    let store: String
    /// Further arguments of every probe on this store.
    let options: [String]

    /// Probes on a store, which is in the trial's directory if no place is named.
    init(subject: Subject, directory: Directory, store: String? = nil, options: [String] = []) {
        self.subject = subject
        self.directory = directory
        self.store = store ?? directory.store
        self.options = options
    }

    private var common: [String] {
        ["store=\(subject.engine.rawValue):\(store)", "seed=\(subject.seed)"] + options
    }

    /// The command that writes blocks.
    func work(_ blocks: Range<Int>, _ more: String...) -> [String] {
        [
            Self.program, "work", "acks=\(directory.acknowledgements)",
            "from=\(blocks.lowerBound)", "to=\(blocks.upperBound)",
        ] + common + more
    }

    /// The command of another task on the store.
    func command(_ task: String, _ more: String...) -> [String] {
        [Self.program, task] + common + more
    }

    /// Has a fresh process look into the store.
    func verdict(_ more: String...) throws -> (Verdict?, Child.Result) {
        let result = try Child.run(command("judge") + more)
        guard result.end == .exit(0), let line = result.output.split(separator: "\n").last,
            let verdict = try? JSONDecoder().decode(Verdict.self, from: Data(line.utf8))
        else { return (nil, result) }
        return (verdict, result)
    }

    /// Whether a probe was ended by a signal in LMDB's own code, or in what LMDB called of the C library.
    static func endedInsideLMDB(_ result: Child.Result) -> Bool {
        guard case .signal(let number) = result.end, [SIGSEGV, SIGBUS, SIGABRT].contains(number)
        else { return false }
        #if os(Linux)
            // The handler's own frames come first, then those of the C library, from which it was called.
            let libraries = result.output.split(separator: "\n").map { line in
                String(line.prefix { $0 != "(" && $0 != "[" }.split(separator: "/").last ?? "")
            }
            let culprit = libraries.drop { $0 == "TortureProbe" }
                .first { !$0.hasPrefix("libc.so") && !$0.hasPrefix("ld-linux") }
            return culprit?.hasPrefix("liblmdb") == true
        #else
            return true
        #endif
    }

    /// Judges a store that nobody may have damaged: nothing acknowledged lost, nothing invented, all of it sound,
    /// and open to a further write.
    ///
    /// - Parameter mayKeepRefused: Whether a block whose write threw may be there all the same.
    func assess(mayKeepRefused: Bool, further: Int, existing: Bool) throws -> Outcome {
        let acknowledgements = try AcknowledgementFile(directory.acknowledgements)
        let (found, result) = try verdict("write=\(further)", "existing=\(existing ? 1 : 0)")
        guard let found else {
            return .failed("the judge ended with \(result.end): \(result.output)")
        }
        guard found.isSound, found.writeError == nil else { return .failed(found.summary) }
        let blocks = Set(found.blocks)
        let lost = acknowledgements.blocks(.acknowledged).subtracting(blocks)
        guard lost.isEmpty else { return .failed("acknowledged and lost: blocks \(lost.sorted())") }
        let rest = blocks.subtracting(acknowledgements.blocks(.acknowledged))
        let begun = rest.intersection(acknowledgements.blocks(.begun))
        let kept = rest.intersection(acknowledgements.blocks(.refused))
        guard rest == begun.union(kept) else {
            return .failed(
                "never written: blocks \(rest.subtracting(begun).subtracting(kept).sorted())")
        }
        guard kept.isEmpty || mayKeepRefused else {
            return .failed("refused, and there all the same: blocks \(kept.sorted())")
        }
        var outcome = Outcome()
        if !begun.isEmpty { outcome.tallies["unanswered, kept"] = begun.count }
        if !kept.isEmpty { outcome.tallies["refused, kept"] = kept.count }
        return outcome
    }
}
