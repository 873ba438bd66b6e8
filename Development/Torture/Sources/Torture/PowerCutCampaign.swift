import Foundation
import Workload

/// Cuts the power below a store: its file system, on a loop device, is shut down without flushing, and mounted anew.
///
/// What was acknowledged before the cut must be there after it. With `relaxed` durability it need not be, and in
/// enough cuts it is not: that is the control, without which a harness that cuts nothing would pass.
struct PowerCutCampaign: Campaign {
    let isControl: Bool

    /// How many cuts one file system goes through.
    private static let cuts = 10
    private static let blocksPerCut = 2000

    var name: String { isControl ? "power-control" : "power" }
    var weight: Double { isControl ? 0.5 : 4 }
    func goal(_ engine: Engine) -> Int { isControl ? 1 : 1000 }
    var width: Int { isControl ? 1 : 2 }

    var obstacle: String? {
        guard LoopFileSystem.isOffered, geteuid() == 0 else {
            return "it needs Linux and root, for loop devices and mounting"
        }
        if kinds.isEmpty { return "it needs mkfs.ext4 (apt-get install e2fsprogs)" }
        return LoopFileSystem.obstacle
    }

    private var kinds: [String] {
        ["ext4", "xfs"].filter { kind in
            ["/sbin/", "/usr/sbin/"].contains { access($0 + "mkfs." + kind, X_OK) == 0 }
        }
    }

    func points(_ subject: Subject) throws -> [String] {
        isControl ? ["\(kinds[0])/0"] : (0..<10).map { "\(kinds[$0 % kinds.count])/\($0)" }
    }

    func run(_ point: String, _ subject: Subject, in directory: Directory) throws -> Outcome {
        let parts = point.split(separator: "/").map(String.init)
        guard parts.count == 2, let session = Int(parts[1]) else {
            throw TortureError("“\(point)” is no point of \(name)")
        }
        var random = SeededGenerator(seed: subject.seed, session)
        let device = try LoopFileSystem(kind: parts[0], in: directory)
        defer { device.remove() }
        let probe = ProbeRunner(
            subject: subject, directory: directory, store: device.mountPoint + "/store",
            options: ["buffer=65536", "relaxed=\(isControl ? 1 : 0)"])
        let file = try AcknowledgementFile(directory.acknowledgements)
        var outcome = Outcome(count: 0)
        var next = 0
        for _ in 0..<(isControl ? 60 : Self.cuts) {
            let acknowledged = try cut(device, probe, file, from: next, using: &random)
            outcome.count += 1
            outcome.tallies[parts[0], default: 0] += 1
            let end = (next..<AcknowledgementFile.capacity).first { file[$0] == .untried } ?? next
            let (verdict, result) = try probe.verdict()
            guard let verdict else {
                outcome.failure = "after a cut the judge ended with \(result.end)"
                return outcome
            }
            guard verdict.isSound else {
                outcome.failure = "after a cut: \(verdict.summary)"
                return outcome
            }
            let blocks = Set(verdict.blocks)
            let lost = file.blocks(.acknowledged).filter { $0 < next + acknowledged }.subtracting(
                blocks)
            let invented = blocks.subtracting(file.blocks(.acknowledged, .begun, .refused))
            guard invented.isEmpty else {
                outcome.failure = "never written: blocks \(invented.sorted())"
                return outcome
            }
            if isControl, !lost.isEmpty {
                outcome.tallies["relaxed, lost", default: 0] += lost.count
                return outcome
            }
            guard lost.isEmpty else {
                outcome.failure = "acknowledged and lost: blocks \(lost.sorted())"
                return outcome
            }
            outcome.tallies["acknowledged", default: 0] += acknowledged
            // What is there now stays, and what is not will not come.
            for number in next..<end {
                file[number] = blocks.contains(number) ? .acknowledged : .absent
            }
            next = end
        }
        if isControl { outcome.failure = "no cut lost a relaxed write: the harness is blind" }
        return outcome
    }

    /// One cut; tells how many blocks had been acknowledged before it.
    private func cut(
        _ device: LoopFileSystem, _ probe: ProbeRunner, _ file: AcknowledgementFile, from next: Int,
        using random: inout SeededGenerator
    ) throws -> Int {
        let child = try Child(
            probe.work(next..<next + Self.blocksPerCut, isControl ? "pause=3000" : "pause=0"))
        if random.int(in: 0..<8) > 0 {
            let deadline = Date(timeIntervalSinceNow: 5)
            while file[next] != .acknowledged, deadline.timeIntervalSinceNow > 0 { usleep(200) }
        }
        usleep(UInt32(random.int(in: 0..<60_000)))
        // Before the cut: an acknowledgement that comes while it is carried out promises nothing.
        let acknowledged = file.acknowledged(from: next)
        let cut = Result { try device.cut() }
        child.kill()
        try cut.get()
        _ = child.finish(within: 30)
        try device.mountAgain()
        return acknowledged
    }
}
