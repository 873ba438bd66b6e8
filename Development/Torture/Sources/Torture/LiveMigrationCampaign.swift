import Foundation
import Synchronization
import Workload

/// Kills a process at its Nth system call of a kind while it writes to a store that is being migrated, with a log: every call,
/// each in turn.
///
/// The engine of a trial is that of the store that is migrated from.
struct LiveMigrationCampaign: Campaign {
    let name = "live"
    let templates: Templates
    var obstacle: String? { Tracer.obstacle }
    func goal(_ engine: Engine) -> Int { 1000 }

    private let surveys = Surveys()

    init(templates: Templates) { self.templates = templates }

    /// What runs without a kill do, by subject.
    private final class Surveys: Sendable {
        let made = Mutex<[Subject: Tracer.Survey]>([:])
    }

    private func survey(_ subject: Subject) throws -> Tracer.Survey {
        try surveys.made.withLock { made in
            if let survey = made[subject] { return survey }
            let place = try templates.template("survey-live", subject) { _ in }
            try Self.prepare(place)
            let survey = try Tracer.survey(
                Self.command("live", subject, place), of: Self.stores(place),
                log: place.path + "/strace")
            made[subject] = survey
            return survey
        }
    }

    func points(_ subject: Subject) throws -> [String] {
        try survey(subject).counts.flatMap { call, count in (1...count).map { "\(call)/\($0)" } }
    }

    func run(_ point: String, _ subject: Subject, in directory: Directory) throws -> Outcome {
        let parts = point.split(separator: "/").map(String.init)
        guard parts.count == 2, let number = Int(parts[1]) else {
            throw TortureError("“\(point)” is no point of \(name)")
        }
        let survey = try survey(subject)
        try Self.prepare(directory)
        let result = try Child.run(
            Tracer.command(
                Self.command("live", subject, directory),
                injecting: ["\(parts[0]):signal=KILL:when=\(number)"],
                into: Self.stores(directory), names: survey.names,
                log: directory.path + "/strace"),
            within: 120, keepsErrors: true)
        switch result.end {
        case .signal(SIGKILL): break
        case .exit(0): return .missed
        default: return .failed("the probe ended with \(result.end): \(result.output)")
        }
        let judged = try Child.run(
            Self.command("judge-live", subject, directory), within: 120, keepsErrors: true)
        guard judged.end == .exit(0), let phase = judged.output.split(separator: "\n").last else {
            return .failed("\(judged.end): \(judged.output)")
        }
        return .seen("killed at \(parts[0])", "goes on \(phase)")
    }

    /// What is watched: both stores, and the file that says how far the migration is.
    private static func stores(_ directory: Directory) -> String { directory.path + "/live" }

    private static func prepare(_ directory: Directory) throws {
        try FileManager.default.createDirectory(
            atPath: stores(directory), withIntermediateDirectories: true)
    }

    private static func command(
        _ task: String, _ subject: Subject, _ directory: Directory
    ) -> [String] {
        let other = subject.engine == .lmdb ? Engine.leveldb : .lmdb
        let place = stores(directory)
        return ProbeRunner(
            subject: subject, directory: directory, store: place + "/old",
            options: [
                "target=\(other.rawValue):\(place)/new", "record=\(place)/migration.json",
                "acks=\(directory.acknowledgements)", "buffer=65536",
            ]
        ).command(task)
    }
}
