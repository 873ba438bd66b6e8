import Foundation
import Workload

/// Kills processes in the middle of a read block, more of them than there are places for readers.
struct ReaderCampaign: Campaign {
    let name = "readers"
    func goal(_ engine: Engine) -> Int { 50 }
    var width: Int { 1 }

    private static let blocks = 12
    private static let slots = 6

    func points(_ subject: Subject) throws -> [String] { (0..<8).map { "\($0)" } }

    func run(_ point: String, _ subject: Subject, in directory: Directory) throws -> Outcome {
        var random = SeededGenerator(seed: subject.seed, Int(point) ?? 0)
        let probe = ProbeRunner(
            subject: subject, directory: directory,
            options: ["slots=\(Self.slots)", "buffer=65536"])
        let made = try Child.run(probe.work(0..<Self.blocks, "talk=1"))
        guard made.end == .exit(0) else { return .failed("\(made.end): \(made.output)") }
        // LevelDB has one process at a time: one reader after the other there, all at once in LMDB.
        var readers: [Child] = []
        var tallies: [String: Int] = [:]
        for number in 0..<Self.slots {
            let ready = directory.path + "/ready\(number)"
            let reader = try Child(probe.command("hold", "ready=\(ready)", "existing=1"))
            let deadline = Date(timeIntervalSinceNow: 20)
            while access(ready, F_OK) != 0, deadline.timeIntervalSinceNow > 0 { usleep(500) }
            guard access(ready, F_OK) == 0 else {
                for reader in readers + [reader] {
                    reader.kill()
                    _ = reader.finish(within: 5)
                }
                return .failed("reader \(number) could not read")
            }
            usleep(UInt32(random.int(in: 0..<3000)))
            readers.append(reader)
            tallies["readers killed", default: 0] += 1
            if subject.engine == .leveldb {
                reader.kill()
                _ = reader.finish(within: 5)
            }
        }
        if subject.engine == .lmdb {
            for reader in readers { reader.kill() }
            for reader in readers { _ = reader.finish(within: 5) }
        }
        var outcome = try probe.assess(
            mayKeepRefused: false, further: Self.blocks, existing: true)
        outcome.tallies.merge(tallies, uniquingKeysWith: +)
        return outcome
    }
}
