import Foundation
import Synchronization
import Workload

/// Kills a probe at its Nth system call of a kind on the store, or has such calls fail: every call, each in turn.
struct SystemCallCampaign: Campaign {
    /// What is done at a point.
    enum Kind: String { case kill, errors }

    let kind: Kind
    let templates: Templates
    private let surveys = Surveys()

    init(_ kind: Kind, templates: Templates) {
        self.kind = kind
        self.templates = templates
    }

    var name: String { kind.rawValue }
    var obstacle: String? { Tracer.obstacle }
    func goal(_ engine: Engine) -> Int { kind == .kill ? 1000 : 2000 }
    var weight: Double { kind == .kill ? 2 : 4 }

    /// The surveys of the scenarios that were asked for so far.
    private final class Surveys: Sendable {
        let made = Mutex<[String: Tracer.Survey]>([:])
    }

    private func survey(_ scenario: Scenario, _ subject: Subject) throws -> Tracer.Survey {
        try surveys.made.withLock { made in
            let key = "\(scenario) \(subject)"
            if let survey = made[key] { return survey }
            let place = try templates.template("survey-\(kind)-\(scenario)", subject) { _ in }
            try scenario.prepare(subject, in: place, from: templates)
            let survey = try Tracer.survey(
                scenario.command(subject, in: place), of: place.store, log: place.path + "/strace")
            made[key] = survey
            return survey
        }
    }

    func points(_ subject: Subject) throws -> [String] {
        var points: [String] = []
        for scenario in Scenario.allCases {
            for (call, count) in try survey(scenario, subject).counts {
                for number in 1...count {
                    let prefix = "\(scenario)/\(call)/\(number)"
                    switch kind {
                    case .kill: points.append(prefix)
                    case .errors:
                        for error in Self.errors(of: call) {
                            // A call that is interrupted for ever is asked again for ever, and rightly.
                            let lasting = error == "EINTR" ? [] : ["lasting"]
                            points += (["once", "twice"] + lasting).map {
                                "\(prefix)/\(error)/\($0)"
                            }
                        }
                    }
                }
            }
        }
        return points
    }

    /// The errors that a call can meet.
    ///
    /// Not one for `close`, which closes whatever it answers.
    private static func errors(of call: String) -> [String] {
        switch call {
        case "close", "lseek": []
        case "write", "pwrite64", "writev", "pwritev": ["EIO", "ENOSPC", "EINTR"]
        case "read", "pread64", "readv", "preadv": ["EIO", "EINTR"]
        case "fsync", "fdatasync", "msync", "ftruncate", "fallocate": ["EIO", "ENOSPC"]
        case "open", "openat": ["EIO", "EACCES", "ENOSPC", "EMFILE"]
        case "mkdir", "mkdirat", "link", "linkat", "rename", "renameat", "renameat2":
            ["EIO", "ENOSPC", "EACCES"]
        case "mmap": ["ENOMEM", "EACCES"]
        case "fcntl", "flock": ["EIO", "EINTR", "ENOLCK"]
        case "getdents64", "fstat", "statfs", "fstatfs": ["EIO"]
        default: ["EIO", "EACCES"]
        }
    }

    func run(_ point: String, _ subject: Subject, in directory: Directory) throws -> Outcome {
        let parts = point.split(separator: "/").map(String.init)
        guard parts.count == (kind == .kill ? 3 : 5), let scenario = Scenario(rawValue: parts[0]),
            let number = Int(parts[2])
        else { throw TortureError("“\(point)” is no point of \(name)") }
        let survey = try survey(scenario, subject)
        try scenario.prepare(subject, in: directory, from: templates)
        let log = directory.path + "/strace"
        let result = try Child.run(
            Tracer.command(
                scenario.command(subject, in: directory),
                injecting: [injection(parts, number)], into: directory.store, names: survey.names,
                log: log))
        try Data(result.output.utf8).write(to: URL(filePath: directory.path + "/output"))
        let fired = try String(contentsOfFile: log, encoding: .utf8)
        switch (kind, result.end) {
        case (.kill, .signal(SIGKILL)): break
        case (.kill, .exit(0)): return .missed
        case (.errors, .exit(0)) where !fired.contains("INJECTED"): return .missed
        case (.errors, .exit(0)): break
        case (.errors, .exit(ProbeStatus.closeRefused.rawValue)): break
        case (.errors, .exit(ProbeStatus.gaveUp.rawValue)):
            if parts[4] == "once" {
                return .failed(
                    "the fault has passed, and the store still refuses: \(result.output)")
            }
        default: return .failed("the probe ended with \(result.end): \(result.output)")
        }
        var outcome = try scenario.assess(
            subject, in: directory, mayKeepRefused: kind == .errors && parts[4] != "once")
        if kind == .errors {
            outcome.tallies[parts[4], default: 0] += 1
            let file = try AcknowledgementFile(directory.acknowledgements)
            if !file.blocks(.refused).isEmpty {
                outcome.tallies["told the caller", default: 0] += 1
            }
        }
        return outcome
    }

    private func injection(_ parts: [String], _ number: Int) -> String {
        guard kind == .errors else { return "\(parts[1]):signal=KILL:when=\(number)" }
        let when =
            switch parts[4] {
            case "lasting": "\(number)+"
            case "twice": "\(number)..\(number + 1)"
            default: "\(number)"
            }
        return "\(parts[1]):error=\(parts[3]):when=\(when)"
    }
}
