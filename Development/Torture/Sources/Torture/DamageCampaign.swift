import Foundation
import Workload

/// Damages copies of a store that was closed in order, and compares every answer with what was written.
///
/// An answer is right, or an error. What LMDB itself makes of damaged pages (it has no checksums, and ends the process
/// where it does not understand them) is counted.
struct DamageCampaign: Campaign {
    let templates: Templates
    private static let blocks = 60
    private static let options = ["buffer=65536"]

    let name = "damage"
    let weight = 4.0
    func goal(_ engine: Engine) -> Int { 2000 }

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
        }.filter { !["LOCK", "LOG", "LOG.old"].contains($0.name) }
        var random = SeededGenerator(seed: subject.seed, 1)
        // Distinct ones: of whole files there are few.
        return Array(
            Set((0..<400).map { _ in Damage.random(of: sizes, using: &random).description }))
    }

    func run(_ point: String, _ subject: Subject, in directory: Directory) throws -> Outcome {
        guard let damage = Damage(point) else { throw TortureError("“\(point)” is no damage") }
        let template = try template(subject)
        try Directory.copy(template.store, to: directory.store)
        guard try damage.apply(in: directory.store) else { return .missed }
        let (verdict, result) = try ProbeRunner(
            subject: subject, directory: directory, options: Self.options
        ).verdict("all=1", "to=\(Self.blocks)", "existing=1")
        var outcome = Self.outcome(verdict, result, subject.engine)
        if let failure = outcome.failure {
            // As it was judged: opening a store changes its files. LevelDB numbers them by the way its threads ran, so
            // that the point alone may name another file the next time.
            let damaged = directory.path + "/damaged"
            try Directory.copy(template.store, to: damaged)
            _ = try damage.apply(in: damaged)
            let command = ProbeRunner(
                subject: subject, directory: directory, store: damaged, options: Self.options
            ).command("judge", "all=1", "to=\(Self.blocks)", "existing=1")
            outcome.failure = "\(failure)\n  on the damaged copy: \(command.joined(separator: " "))"
        }
        return outcome
    }

    private static func outcome(
        _ verdict: Verdict?, _ result: Child.Result, _ engine: Engine
    ) -> Outcome {
        guard let verdict else {
            if engine == .lmdb, ProbeRunner.endedInsideLMDB(result) {
                return .seen("ended inside LMDB")
            }
            return .failed("the judge ended with \(result.end): \(result.output)")
        }
        if verdict.openError != nil { return .seen("refused at opening") }
        if !verdict.wrongValues.isEmpty { return .failed(verdict.summary) }
        if !verdict.olderValues.isEmpty {
            // A page that is what it was some time ago bears the right number and sound records: LMDB has nothing by
            // which to tell, and only the walk over all pages finds that another stands in its place.
            guard engine == .lmdb, !verdict.problems.isEmpty else {
                return .failed(verdict.summary)
            }
            return .seen("older values, told by verify")
        }
        if !verdict.wrongRows.isEmpty || !verdict.wrongLinks.isEmpty {
            if verdict.problems.isEmpty { return .failed("verify passes " + verdict.summary) }
            let what = verdict.wrongRows.isEmpty ? "links" : "rows"
            return .seen("wrong \(what), told by verify")
        }
        return .seen(verdict.isSound ? "harmless" : "told, the rest right")
    }
}
