import Foundation
import JustPersist

extension CheckContext {
    /// Runs a role in another process, and waits for its end.
    ///
    /// The process works in ``directory``, so its stores and those of this check share files if they have equal names.
    /// If the role throws an error, the check fails. If the process was killed, killed itself or trapped, the caller
    /// evaluates that.
    func runChild(
        _ role: ChildRole, parameters: [String: String] = [:]
    ) throws -> ChildLauncher.Ending {
        guard let children else {
            try unverified("there is no way to start another process here")
        }
        guard ChildJob.canFind(fixture) else {
            try unverified(
                "another process cannot find the fixture \(fixture); make it non-private")
        }
        let answer = directory.appending(path: "answer-\(UUID().uuidString)")
        var options = ConformanceOptions(profile: profile, seed: seed, timeout: timeout)
        options.scratchDirectory = directory
        let job = ChildJob(
            .role(name: role.name, parameters: parameters), for: fixture, options: options,
            directory: directory, answer: answer)
        defer {
            for file in [job.answer, job.standardError] {
                try? FileManager.default.removeItem(at: file)
            }
        }
        // The process has its own time limit.
        let (ending, stderr) = try recorder.whileWaiting { try children.run(job) }
        if let error = try? String(contentsOf: answer, encoding: .utf8), !error.isEmpty {
            fail("A process in the role \(role.name) failed: \(error)")
            throw CheckStop.failed
        }
        if ending != .exited(ConformanceChild.done), ending != .signalled(SIGKILL) {
            fail("A process in the role \(role.name): \(ending.inWords) in it.\(stderr.lastWords)")
            throw CheckStop.failed
        }
        return ending
    }
}
