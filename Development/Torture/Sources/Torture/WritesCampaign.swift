import Foundation
import Synchronization
import Workload

/// Records every write and sync of a probe, and makes the files that a power cut at any step could leave.
///
/// A file system on a loop device leaves what that file system makes of a cut. Here all that was not synced survives in
/// part: any sectors of any writes, in any order, and any changes of names. The control ignores the syncs of the
/// recording: then blocks must be lost, or the store broken, or the replay is blind. All that was written before the same cuts
/// shows nothing of that.
struct WritesCampaign: Campaign {
    let isControl: Bool
    let templates: Templates
    private let recordings = Recordings()

    init(isControl: Bool, templates: Templates) {
        self.isControl = isControl
        self.templates = templates
    }

    var name: String { isControl ? "writes-control" : "writes" }
    var obstacle: String? { Tracer.obstacle }
    func goal(_ engine: Engine) -> Int { isControl ? 1 : 1000 }
    var weight: Double { isControl ? 0.5 : 4 }

    /// Where the store that is cut comes from.
    private enum Origin: String, CaseIterable {
        /// It is made, and written to.
        case fresh
        /// Its process was killed at any step, and another goes on.
        case killed
        /// It has gone through a cut, and a process opens it and goes on.
        case again
    }

    /// What is promised beyond POSIX, by ext4, XFS and Btrfs alike.
    func rules(_ engine: Engine) -> Disk.Rules {
        Disk.Rules(syncsNewNames: engine == .leveldb, ordersNames: engine == .leveldb)
    }

    func points(_ subject: Subject) throws -> [String] {
        if isControl { return ["fresh/0"] }
        let count = try recording(Origin.fresh.rawValue, subject).steps.count
        var random = SeededGenerator(seed: subject.seed)
        // Every second one while the store is made.
        let origins = [Origin.killed, .again].flatMap { origin in
            [Self.making, count].map { "\(origin)@\(random.int(in: 1..<min($0, count)))" }
        }
        return (0..<120).map { number in
            let origin = number % 6 < 2 ? Origin.fresh.rawValue : origins[number % 6 - 2]
            return "\(origin)/\(number)"
        }
    }

    /// So many steps the making of a store takes, at most.
    private static let making = 40

    // MARK: Recordings

    /// Those of one subject, by the name of their origin; `killed@37` was killed before step 37 of the fresh one.
    private final class Recordings: Sendable {
        let made = Mutex<[String: Recording]>([:])
    }

    func recording(_ name: String, _ subject: Subject) throws -> Recording {
        try recordings.made.withLock { made in
            let key = { (name: String) in "\(subject)/\(name)" }
            if let recording = made[key(name)] { return recording }
            let fresh = key(Origin.fresh.rawValue)
            if made[fresh] == nil { made = [fresh: try makeFresh(subject)] }
            if let base = made[fresh], made[key(name)] == nil {
                made[key(name)] = try makeLater(name, base, subject)
            }
            guard let recording = made[key(name)] else {
                throw TortureError("no recording \(name)")
            }
            return recording
        }
    }

    /// Small buffers, so that LevelDB sorts its log into files and merges them.
    private func probe(_ subject: Subject, _ directory: Directory) -> ProbeRunner {
        ProbeRunner(subject: subject, directory: directory, options: ["buffer=65536"])
    }

    private func makeFresh(_ subject: Subject) throws -> Recording {
        var recording = Recording()
        let place = try templates.template("\(name)-\(Origin.fresh)", subject) { _ in }
        try recording.record(
            probe(subject, place).work(0..<24, "reopen=9", "compact=14", "traced=1", "talk=1"),
            in: place)
        return recording
    }

    /// Another process goes on with what a kill or a cut has left of the first.
    private func makeLater(_ name: String, _ base: Recording, _ subject: Subject) throws
        -> Recording
    {
        let parts = name.split(separator: "@")
        guard parts.count == 2, let origin = Origin(rawValue: String(parts[0])),
            let position = Int(parts[1]), position <= base.steps.count
        else { throw TortureError("there is no recording “\(name)”") }
        var random = SeededGenerator(seed: subject.seed, position)
        let place = try templates.template("\(self.name)-\(name)", subject) { _ in }
        var recording = Recording(
            fates: base.fates(before: position), steps: Array(base.steps[..<position]))
        let disk = base.disk(after: position, rules(subject.engine))
        if origin == .killed {
            recording.fates = [:]
            try disk.current.write(to: place)
        } else {
            recording.start = disk.afterPowerCut(using: &random).image
            recording.steps = []
            recording.fates = try settle(
                recording, subject, in: Directory(in: place.path, "judged"))
            try recording.start.write(to: place)
        }
        try leave(recording.fates(before: recording.steps.count), in: place)
        let first = (recording.fates(before: recording.steps.count).keys.max() ?? -1) + 1
        try recording.record(
            probe(subject, place)
                .work(first..<first + 10, "reopen=4", "compact=6", "traced=1", "talk=1"), in: place)
        return recording
    }

    /// What is there after a cut stays, and what is not there will not come.
    private func settle(_ recording: Recording, _ subject: Subject, in directory: Directory) throws
        -> [Int: AcknowledgementFile.Fate]
    {
        try recording.start.write(to: directory)
        let (verdict, result) = try probe(subject, directory).verdict()
        guard let verdict, verdict.isSound else {
            throw TortureError(
                "the store after the first cut: \(result.end) \(verdict?.summary ?? "")")
        }
        return Dictionary(
            uniqueKeysWithValues: recording.fates.keys.map {
                ($0, verdict.blocks.contains($0) ? .acknowledged : .absent)
            })
    }

    private func leave(
        _ fates: [Int: AcknowledgementFile.Fate], in directory: Directory
    ) throws {
        let file = try AcknowledgementFile(directory.acknowledgements)
        for (block, fate) in fates { file[block] = fate }
    }

    // MARK: Cuts

    func run(_ point: String, _ subject: Subject, in directory: Directory) throws -> Outcome {
        let parts = point.split(separator: "/").map(String.init)
        guard parts.count == 2, let number = Int(parts[1]) else {
            throw TortureError("“\(point)” is no point of \(name)")
        }
        let recording = try recording(parts[0], subject)
        var random = SeededGenerator(seed: subject.seed, number)
        if isControl { return try compare(recording, subject, in: directory, using: &random) }
        let rules = rules(subject.engine)
        var unsettled = recording.unsettledPositions(rules)
        if random.int(in: 0..<4) == 0 { unsettled = unsettled.filter { $0 < Self.making } }
        let position =
            unsettled.isEmpty || random.int(in: 0..<10) == 0
            ? random.int(in: 1..<recording.steps.count + 1) : random.pick(unsettled)
        let disk = recording.disk(after: position, rules)
        let (image, changes) = disk.afterPowerCut(using: &random)
        var outcome = try judge(image, recording, position, subject, in: directory)
        outcome.tallies["changes in doubt", default: 0] += changes.count
        outcome.tallies[String(parts[0].prefix { $0 != "@" }), default: 0] += 1
        if let failure = outcome.failure {
            // The judge has opened the other.
            try image.write(to: Directory(in: directory.path, "rebuilt"))
            let before = max(0, position - 60)
            let lines =
                changes + ["", "the last steps before the cut:"]
                + recording.steps[before..<position].enumerated().map {
                    "step \(before + $0.offset): \($0.element)"
                }
            try Data(lines.joined(separator: "\n").utf8)
                .write(to: URL(filePath: directory.path + "/changes"))
            outcome.failure =
                "\(failure); cut before step \(position) of \(recording.steps.count), with \(changes.count) changes "
                + "in doubt, listed in “changes”; the files after the cut are in “rebuilt”"
        }
        return outcome
    }

    /// Judges what a cut has left: the blocks that were acknowledged before it are there, and it opens again and again.
    func judge(
        _ image: Image, _ recording: Recording, _ position: Int, _ subject: Subject,
        in directory: Directory
    ) throws -> Outcome {
        try image.write(to: directory)
        let fates = recording.fates(before: position)
        try leave(fates, in: directory)
        let probe = probe(subject, directory)
        let further = (fates.keys.max() ?? -1) + 20
        let outcome = try probe.assess(
            mayKeepRefused: false, further: further, existing: fates.values.contains(.acknowledged))
        guard outcome.failure == nil else { return outcome }
        try leave([further: .acknowledged], in: directory)
        let second = try probe.assess(
            mayKeepRefused: false, further: further + 1, existing: true)
        return second.failure.map { .failed("at the second opening: \($0)") } ?? outcome
    }

    /// Without syncs, cuts must do harm, and all that was written before the same cuts must show none.
    private func compare(
        _ recording: Recording, _ subject: Subject, in directory: Directory,
        using random: inout SeededGenerator
    ) throws -> Outcome {
        var outcome = Outcome(count: 0)
        for number in 0..<6 {
            let position = random.int(in: recording.steps.count / 3..<recording.steps.count + 1)
            var rules = rules(subject.engine)
            rules.heedsSyncs = false
            let disk = recording.disk(after: position, rules)
            let images = [
                ("in parts", disk.afterPowerCut(using: &random).image), ("whole", disk.current),
            ]
            for (kind, image) in images {
                let place = try Directory(in: directory.path, "\(number)-\(kind)")
                let found = try judge(image, recording, position, subject, in: place)
                outcome.tallies["harmed, not synced, \(kind)", default: 0] +=
                    found.failure == nil ? 0 : 1
                if let failure = found.failure, kind == "whole" {
                    outcome.failure = "all that was written before step \(position): \(failure)"
                    return outcome
                }
            }
            outcome.count += 1
        }
        if outcome.tallies["harmed, not synced, in parts"] == 0 {
            outcome.failure = "no cut without syncs did harm: the replay is blind"
        }
        return outcome
    }
}
