import Dispatch
import Foundation
import JustPersist

/// Runs the kit in a process that the kit itself started.
public enum ConformanceChild {
    /// The environment variable that holds the job of such a process.
    public static let variable = "JP_CONFORMANCE_CHILD"

    /// The exit code of a process that did its job.
    ///
    /// It is not 0, because an exit test can expect either 0 or any other ending, and a crash is one of the other
    /// endings.
    static let done: Int32 = 75
    /// The exit code of a process that could not begin its job.
    static let failed: Int32 = 76
    /// The exit code of a process that ended itself because it hung.
    static let stuck: Int32 = 77

    /// Does the job and ends the process.
    public static func serve(_ job: String) async -> Never {
        do {
            let job = try ChildJob(text: job)
            redirectStandardError(to: job.standardError)
            guard let fixture = ChildJob.fixture(named: job.fixture) else {
                throw DataStoreError(
                    .invalidInput, in: "conformance",
                    "The fixture \(job.fixture) is not found here. Make it non-private.")
            }
            switch job.work {
            case .check(let check):
                try await run(check, of: fixture, job).answer.write(
                    to: job.answer, options: .atomic)
            case .batch(let checks):
                for (index, check) in checks.enumerated() {
                    let result = try await run(check, of: fixture, job)
                    // The state of the process is unknown, so the check runs again alone.
                    if result.isBroken { break }
                    try result.answer.write(
                        to: CheckBatch.answer(index, of: job.answer), options: .atomic)
                }
            case .role(let name, let parameters):
                let guardian = guardian(of: job, lifetime: roleLifetime(job))
                await play(name, parameters, of: fixture, job)
                guardian.cancel()
            }
        } catch {
            try? FileHandle.standardError.write(contentsOf: Data("\(error)\n".utf8))
            _exit(failed)
        }
        // `exit` is not called, because other threads may still use objects that its handlers would destroy.
        _exit(done)
    }

    /// Redirects standard error to a file, in which the parent process finds the message of a trap.
    ///
    /// If the file cannot be written, standard error remains the terminal.
    private static func redirectStandardError(to file: URL) {
        guard (try? Data().write(to: file)) != nil,
            let handle = try? FileHandle(forWritingTo: file)
        else { return }
        dup2(handle.fileDescriptor, FileHandle.standardError.fileDescriptor)
        try? handle.close()
    }

    /// The seconds that a role may take.
    ///
    /// No watchdog observes roles.
    private static func roleLifetime(_ job: ChildJob) -> Double { 2 * job.options.timeout }

    private static func run(
        _ check: ChildJob.Check, of fixture: any ConformanceFixture.Type, _ job: ChildJob
    ) async throws -> CheckResult {
        guard let definition = Inventory.definition(check.id) else {
            throw DataStoreError(
                .invalidInput, in: "conformance",
                "There is no check “\(check.id)” in this process.")
        }
        let guardian = guardian(of: job, lifetime: nil)
        defer { guardian.cancel() }
        var options = job.options
        options.scratchDirectory = job.directory
        let execution = CheckExecution(
            fixture: fixture, definition: definition, variant: check.variant, options: options,
            launcher: .asking(in: job.directory),
            endProcess: { lastWords in
                try? FileHandle.standardError.write(contentsOf: Data("\(lastWords)\n".utf8))
                _exit(stuck)
            })
        return await execution.result()
    }

    /// Ends this process when its parent process has ended, or when its time limit is exceeded.
    private static func guardian(
        of job: ChildJob, lifetime: Double?
    ) -> any DispatchSourceTimer {
        let deadline = lifetime.map { ContinuousClock.now + .seconds($0) }
        let timer = DispatchSource.makeTimerSource(queue: .global())
        timer.schedule(deadline: .now() + 1, repeating: 1)
        timer.setEventHandler {
            if kill(job.asker, 0) != 0, errno == ESRCH { _exit(stuck) }
            if let deadline, ContinuousClock.now > deadline { _exit(stuck) }
        }
        timer.resume()
        return timer
    }

    private static func play(
        _ name: String, _ parameters: [String: String], of fixture: any ConformanceFixture.Type,
        _ job: ChildJob
    ) async {
        let context = ChildContext(
            fixture: fixture, directory: job.directory, parameters: parameters,
            seed: job.options.seed)
        // Roles block, so each runs on its own thread.
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                do {
                    guard let role = ChildRole.all.first(where: { $0.name == name }) else {
                        throw DataStoreError(
                            .invalidInput, in: "conformance", "There is no role “\(name)”.")
                    }
                    try role.play(context)
                } catch {
                    try? "\(error)".write(to: job.answer, atomically: true, encoding: .utf8)
                }
                continuation.resume()
            }
        }
    }
}
