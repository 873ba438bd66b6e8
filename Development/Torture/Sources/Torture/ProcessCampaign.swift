import Foundation
import Workload

/// Several processes on one store: side by side in LMDB, some of them killed; refused at once by LevelDB.
struct ProcessCampaign: Campaign {
    let name = "processes"
    func goal(_ engine: Engine) -> Int { 50 }
    var width: Int { 1 }

    private static let blocks = 15

    func points(_ subject: Subject) throws -> [String] { (0..<8).map { "\($0)" } }

    func run(_ point: String, _ subject: Subject, in directory: Directory) throws -> Outcome {
        subject.engine == .lmdb
            ? try writeSideBySide(point, subject, in: directory)
            : try refuseTheSecond(subject, in: directory)
    }

    private func writeSideBySide(
        _ point: String, _ subject: Subject, in directory: Directory
    ) throws -> Outcome {
        var random = SeededGenerator(seed: subject.seed, Int(point) ?? 0)
        var outcome = Outcome()
        let writers = try (1...4).map { number in
            let own = try Directory(in: directory.path, "writer\(number)")
            return ProbeRunner(
                subject: subject, directory: own, store: directory.store,
                options: ["writer=\(number)"])
        }
        let victim = random.int(in: 0..<writers.count)
        let children = try writers.map {
            try Child($0.work(0..<Self.blocks, "examine=5", "reopen=6", "talk=1"))
        }
        usleep(UInt32(random.int(in: 5_000..<80_000)))
        children[victim].kill()
        for (number, child) in children.enumerated() {
            let result = child.finish(within: 60)
            if number == victim {
                outcome.tallies["writers killed", default: 0] += 1
            } else if result.end != .exit(0) {
                return .failed("writer \(number + 1) ended with \(result.end): \(result.output)")
            }
        }
        for writer in writers {
            let found = try writer.assess(
                mayKeepRefused: false, further: Self.blocks, existing: false)
            if found.failure != nil { return found }
            outcome.tallies["writers", default: 0] += 1
            outcome.tallies.merge(found.tallies, uniquingKeysWith: +)
        }
        return outcome
    }

    private func refuseTheSecond(_ subject: Subject, in directory: Directory) throws -> Outcome {
        let probe = ProbeRunner(subject: subject, directory: directory)
        let worker = try Child(
            probe.work(0..<AcknowledgementFile.capacity / 2, "pause=500", "talk=1"))
        defer { worker.kill() }
        let file = try AcknowledgementFile(directory.acknowledgements)
        let deadline = Date(timeIntervalSinceNow: 20)
        while file.acknowledged(from: 0) < 3, deadline.timeIntervalSinceNow > 0 { usleep(500) }
        for _ in 0..<3 {
            let start = Date()
            let (verdict, result) = try probe.verdict("existing=1")
            guard let error = verdict?.openError, error.contains("[lockedByAnotherProcess]") else {
                return .failed(
                    "a second process was not refused: \(result.end) \(verdict?.summary ?? "")")
            }
            guard -start.timeIntervalSinceNow < 10 else {
                return .failed(
                    "a second process was refused after \(-start.timeIntervalSinceNow) s")
            }
        }
        worker.kill()
        _ = worker.finish(within: 10)
        var outcome = try probe.assess(
            mayKeepRefused: false, further: AcknowledgementFile.capacity - 1, existing: true)
        outcome.tallies["second processes refused", default: 0] += 3
        return outcome
    }
}
