import Foundation
import JustPersist

extension CheckExecution {
    /// Runs the check in its own process, so that a store that traps or hangs affects only one check.
    func result(inChildOf launcher: ChildLauncher) async -> CheckResult {
        let directory = options.scratchDirectory
            .appending(path: "conformance-\(UUID().uuidString)", directoryHint: .isDirectory)
        defer { try? FileManager.default.removeItem(at: directory) }
        let start = ContinuousClock.now
        var failed = definition.result(variant, .fail)
        do {
            try makeDirectory(directory)
            let answer = directory.appending(path: "answer.json")
            let (ending, stderr) = try await launcher.launch(
                ChildJob(
                    .check(ChildJob.Check(id: definition.id, variant: variant)), for: fixture,
                    options: options, directory: directory, answer: answer),
                servingRequestsIn: directory)
            if let data = try? Data(contentsOf: answer), let result = try? CheckResult(answer: data)
            {
                return result
            }
            // Even a check that only measures fails if the store ends its process.
            failed.outcome = .fail
            failed.isBroken = true
            failed.failures = [
                CheckResult.Failure(
                    message: "\(ending.inWords) during the check.\(stderr.lastWords)",
                    place: "its process")
            ]
        } catch {
            failed.failures = [
                CheckResult.Failure(
                    message: "A process for the check could not be started: \(error)",
                    place: "its process")
            ]
        }
        if Task.isCancelled {
            failed = definition.result(variant, .unverified)
            failed.reason = CheckStop.cancellation
        }
        failed.seconds = start.duration(to: .now) / .seconds(1)
        return failed
    }
}

extension String {
    /// The reason of a trap, or the last line of a process's output, as the end of a sentence.
    var lastWords: String {
        // The texts that Swift prints before the reason of a trap. A backtrace may follow.
        let reasons = [
            "Fatal error", "Precondition failed", "Assertion failed", "Fatal access conflict",
            "Could not cast value",
        ]
        let lines = split(separator: "\n")
        let told = lines.first { line in reasons.contains { line.contains($0) } } ?? lines.last
        return told.map { " It said: \($0.prefix(500))" } ?? ""
    }
}

extension CheckResult {
    /// Decodes the result that another process has sent.
    init(answer: Data) throws {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        self = try decoder.decode(CheckResult.self, from: answer)
    }

    /// The encoded result, for another process.
    var answer: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.nonConformingFloatEncodingStrategy = .convertToString(
                positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
            return try encoder.encode(self)
        }
    }
}

extension ChildLauncher.Ending {
    /// The end of the process, in words.
    var inWords: String {
        switch self {
        case .exited(ConformanceChild.stuck):
            "The process was given up: a call hung, perhaps on all threads of Swift's cooperative pool,"
        case .exited(let code): "The process exited with code \(code)"
        case .signalled(let signal):
            "The process was ended by signal \(signal)\(Self.names[signal].map { " (\($0))" } ?? "")"
        }
    }
    private static let names: [Int32: String] = [
        SIGILL: "SIGILL, as a Swift trap", SIGTRAP: "SIGTRAP, as a Swift trap",
        SIGABRT: "SIGABRT", SIGSEGV: "SIGSEGV, a bad memory access",
        SIGBUS: "SIGBUS, a bad access to a mapped file", SIGKILL: "SIGKILL", SIGTERM: "SIGTERM",
    ]
}
