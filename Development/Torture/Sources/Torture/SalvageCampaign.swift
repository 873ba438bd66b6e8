import Foundation
import Workload

/// Damages copies of a store, and has the tool verify them and save what can be read.
///
/// - A copy of which any answer has changed is never told to be sound.
/// - The tool ends with a status and a message, whatever the files hold.
/// - Every item of which the bytes are whole is saved as it was. What is saved and not told to be doubtful is as it was.
struct SalvageCampaign: Campaign {
    let templates: Templates
    private static let blocks = 60
    private static let options = ["buffer=65536"]
    private static let kinds: Set<Damage.Kind> = [.flip, .zero, .garbage, .cut, .swap]

    let name = "salvage"
    let weight = 3.0
    func goal(_ engine: Engine) -> Int { 1000 }

    /// The tool of this package, as it was built with the probe or in a release build.
    private static let program: String = {
        let folder = URL(filePath: ProbeRunner.program).resolvingSymlinksInPath()
            .deletingLastPathComponent()
        let places = [
            "justpersist", "../../../../../.build/release/justpersist",
            "../../../../../.build/debug/justpersist",
        ]
        return places.map { folder.appending(path: $0).standardizedFileURL.path }
            .first { access($0, X_OK) == 0 } ?? ""
    }()

    var obstacle: String? {
        Self.program.isEmpty ? "the tool is not built (swift build --product justpersist)" : nil
    }

    private func template(_ subject: Subject) throws -> Directory {
        try templates.template(name, subject) { template in
            let probe = ProbeRunner(subject: subject, directory: template, options: Self.options)
            let result = try Child.run(probe.work(0..<Self.blocks, "reopen=25", "talk=1"))
            guard result.end == .exit(0) else {
                throw TortureError("the store cannot be made: \(result.end) \(result.output)")
            }
        }
    }

    func points(_ subject: Subject) throws -> [String] {
        let store = try template(subject).store
        let sizes = try Directory.files(in: store).map { name in
            let attributes = try FileManager.default.attributesOfItem(atPath: store + "/" + name)
            return (name: name, size: attributes[.size] as? Int ?? 0)
        }.filter { !["LOCK", "LOG", "LOG.old", "lock.mdb"].contains($0.name) }
        var random = SeededGenerator(seed: subject.seed, 2)
        var points: Set<String> = []
        while points.count < 1100 {
            let damage = Damage.random(of: sizes, using: &random)
            if Self.kinds.contains(damage.kind) { points.insert(damage.description) }
        }
        return Array(points)
    }

    func run(_ point: String, _ subject: Subject, in directory: Directory) throws -> Outcome {
        guard let damage = Damage(point) else { throw TortureError("“\(point)” is no damage") }
        let template = try template(subject)
        let damaged = directory.path + "/damaged"
        try Directory.copy(template.store, to: damaged)
        guard try damage.apply(in: damaged) else { return .missed }
        var outcome = Outcome()
        if let failure = try verify(damaged, subject, directory, &outcome) {
            return .failed(failure)
        }
        if let failure = try save(damaged, damage, subject, directory, template, &outcome) {
            return .failed(failure)
        }
        return outcome
    }

    // MARK: Verifying

    /// Has the tool verify one copy, and a judge ask another.
    private func verify(
        _ damaged: String, _ subject: Subject, _ directory: Directory, _ outcome: inout Outcome
    ) throws -> String? {
        let verified = directory.path + "/verified"
        try Directory.copy(damaged, to: verified)
        let check = try tool("verify", "\(subject.engine.rawValue):\(verified)")
        if let failure = check.failure { return failure }
        try Directory.copy(damaged, to: directory.store)
        let (verdict, result) = try ProbeRunner(
            subject: subject, directory: directory, options: Self.options
        ).verdict("all=1", "to=\(Self.blocks)", "existing=1")
        let isRight =
            verdict.map { $0.isRight && $0.errors.isEmpty && $0.openError == nil } ?? false
        if check.isSound, !isRight {
            return "verify tells nothing, but: "
                + (verdict?.summary ?? "the judge ended with \(result.end)")
        }
        outcome.tallies[
            check.isSound ? "told sound" : isRight ? "damage told, answers right" : "damage told",
            default: 0] += 1
        return nil
    }

    /// Runs the tool, which has to end with a status and, if that is not 0, with a message.
    private func tool(_ words: String...) throws -> (isSound: Bool, failure: String?) {
        let result = try Child.run([Self.program] + words, within: 120, keepsErrors: true)
        switch result.end {
        case .exit(0): return (true, nil)
        case .exit(1) where result.output.contains("justpersist: "): return (false, nil)
        default:
            return (
                false, "the tool (\(words[0])) ended with \(result.end) and “\(result.output)”"
            )
        }
    }

    // MARK: Saving

    private func save(
        _ damaged: String, _ damage: Damage, _ subject: Subject, _ directory: Directory,
        _ template: Directory, _ outcome: inout Outcome
    ) throws -> String? {
        let before = try Self.contents(of: damaged)
        let store = "\(subject.engine.rawValue):\(damaged)"
        let repair = try tool("repair", store, "--into", directory.path + "/told")
        if let failure = repair.failure { return failure }
        let result = try Child.run(
            ProbeRunner(
                subject: subject, directory: directory, store: damaged, options: Self.options
            ).command(
                "salvage", "into=\(subject.engine.rawValue):\(directory.path)/saved",
                "to=\(Self.blocks)"),
            within: 120)
        guard result.end == .exit(0), let line = result.output.split(separator: "\n").last,
            let verdict = try? JSONDecoder().decode(SalvageVerdict.self, from: Data(line.utf8))
        else { return "the salvage ended with \(result.end): \(result.output)" }
        guard try Self.contents(of: damaged) == before else {
            return "the damaged store was changed"
        }
        return try judge(verdict, repair.isSound, damage, subject, template, &outcome)
    }

    private func judge(
        _ verdict: SalvageVerdict, _ isToldComplete: Bool, _ damage: Damage, _ subject: Subject,
        _ template: Directory, _ outcome: inout Outcome
    ) throws -> String? {
        let workload = Workload(seed: subject.seed)
        let state = ModelState(of: workload, after: 0..<Self.blocks)
        let places = try StoredPlaces(of: workload, state, in: template.store, subject.engine)
        let intact = places.intact(after: damage, subject.engine)
        if let error = verdict.error {
            return intact.isEmpty ? nil : "nothing was saved: \(error)"
        }
        if let wrong = verdict.wrong.first {
            return "\(verdict.wrong.count) saved items are wrong: \(wrong)"
        }
        if let problem = verdict.remaining.first { return "the new store: \(problem)" }
        // An old copy of an item is as whole as its last one.
        let older = verdict.isAgeUnknown ? intact.intersection(verdict.olderTold) : []
        let lost = intact.intersection(verdict.missing).subtracting(older)
        guard lost.isEmpty else {
            return
                "\(lost.count) of \(intact.count) whole items were not saved: \(lost.sorted().prefix(5))"
        }
        if verdict.isComplete, !verdict.missing.isEmpty {
            return "\(verdict.missing.count) items are lost, which was not told"
        }
        if verdict.isComplete, verdict.missingLinks > 0 {
            return "\(verdict.missingLinks) links are lost, which was not told"
        }
        guard verdict.isComplete == isToldComplete else {
            return "the tool and the library do not agree on whether all was saved"
        }
        outcome.tallies[verdict.missing.isEmpty ? "all saved" : "some lost", default: 0] += 1
        for (name, count) in [
            ("items whole", intact.count), ("items saved", verdict.right),
            ("of them doubtful", verdict.doubtful), ("items lost", verdict.missing.count),
            ("links saved", verdict.links), ("links lost", verdict.missingLinks),
            ("items older, told", verdict.olderTold.count),
            ("of them whole in a newer state too", older.count),
        ] where count > 0 { outcome.tallies[name, default: 0] += count }
        return nil
    }

    /// What the files of a store hold: to save what is in them changes none.
    private static func contents(of store: String) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try Directory.files(in: store) {
            contents[name] = FileManager.default.contents(atPath: store + "/" + name)
        }
        return contents
    }
}
