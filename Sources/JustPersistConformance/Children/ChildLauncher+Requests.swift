import Foundation

/// Processes for a check that itself runs in a process of its own, where none can be started: an exit test
/// cannot begin another. The one that can finds what is asked for as files in a directory of both.
extension ChildLauncher {
    /// What became of a process that was asked for.
    private struct Answer: Codable {
        var ending: Ending
        /// Why there was no process.
        var failure: String?
    }

    private struct NotStarted: Error, CustomStringConvertible {
        let description: String
    }

    private static let requestExtension = "request"
    private static let answerExtension = "ending"

    /// How often each side looks.
    private static let patience = Duration.milliseconds(2)

    /// A launcher that leaves it to the process that serves the requests in this directory.
    static func asking(in directory: URL) -> ChildLauncher {
        ChildLauncher { job in
            let place = directory.appending(path: UUID().uuidString)
            let answer = place.appendingPathExtension(answerExtension)
            defer { try? FileManager.default.removeItem(at: answer) }
            try Data(job.utf8).write(
                to: place.appendingPathExtension(requestExtension), options: .atomic)
            while !FileManager.default.fileExists(atPath: answer.path) {
                try await Task.sleep(for: patience)
            }
            let told = try JSONDecoder().decode(Answer.self, from: Data(contentsOf: answer))
            if let failure = told.failure { throw NotStarted(description: failure) }
            return told.ending
        }
    }

    /// Starts a process for a job, and until its end those that it asks for.
    func launch(
        _ job: ChildJob, servingRequestsIn directory: URL
    ) async throws -> (Ending, stderr: String) {
        try await withThrowingTaskGroup(of: (Ending, stderr: String)?.self) { group in
            group.addTask { try await launch(job) }
            group.addTask {
                try await serveRequests(in: directory)
                return nil
            }
            defer { group.cancelAll() }
            while let ending = try await group.next() {
                if let ending { return ending }
            }
            throw CancellationError()
        }
    }

    /// Starts what is asked for, one process at a time, until the task is cancelled.
    private func serveRequests(in directory: URL) async throws {
        while !Task.isCancelled {
            let requests = try FileManager.default.contentsOfDirectory(atPath: directory.path)
                .filter { $0.hasSuffix(".\(Self.requestExtension)") }
            for name in requests {
                let request = directory.appending(path: name)
                let job = try String(contentsOf: request, encoding: .utf8)
                try FileManager.default.removeItem(at: request)
                var answer = Answer(ending: .exited(ConformanceChild.failed))
                do {
                    answer.ending = try await start(job)
                } catch {
                    answer.failure = "\(error)"
                }
                try JSONEncoder().encode(answer).write(
                    to: request.deletingPathExtension().appendingPathExtension(
                        Self.answerExtension),
                    options: .atomic)
            }
            try? await Task.sleep(for: Self.patience)
        }
    }
}
