import Foundation
import JustPersist

/// Starts processes for a check that itself runs in a child process, which cannot start any: an exit test cannot begin
/// another one. The child process writes its requests as files into a shared directory, and its parent process serves
/// them.
extension ChildLauncher {
    /// The end of a process that was requested.
    private struct Answer: Codable {
        var ending: Ending
        /// The reason that the process could not be started.
        var failure: String?
    }

    private struct NotStarted: Error, CustomStringConvertible {
        let description: String
    }

    private static let requestExtension = "request"
    private static let answerExtension = "ending"

    /// The pauses between two polls of either side, which are short while there are requests.
    private static let pauses = (
        shortest: Duration.milliseconds(2), longest: Duration.milliseconds(32)
    )

    /// The longest time for an answer.
    ///
    /// If the tests of a program block all threads of its cooperative pool, it serves no requests meanwhile.
    private static let patience = Duration.seconds(600)

    /// A launcher that writes requests into a directory, for the process that serves them.
    static func asking(in directory: URL) -> ChildLauncher {
        ChildLauncher { job in
            let place = directory.appending(path: UUID().uuidString)
            let answer = place.appendingPathExtension(answerExtension)
            defer { try? FileManager.default.removeItem(at: answer) }
            try Data(job.utf8).write(
                to: place.appendingPathExtension(requestExtension), options: .atomic)
            let deadline = ContinuousClock.now + patience
            while !FileManager.default.fileExists(atPath: answer.path) {
                if ContinuousClock.now > deadline {
                    throw NotStarted(description: "There was no answer for \(patience).")
                }
                try await Task.sleep(for: pauses.shortest)
            }
            let told = try JSONDecoder().decode(Answer.self, from: Data(contentsOf: answer))
            if let failure = told.failure { throw NotStarted(description: failure) }
            return told.ending
        }
    }

    /// Starts a process for a job.
    ///
    /// Until its end, also starts the processes that it requests.
    func launch(
        _ job: ChildJob, servingRequestsIn directory: URL
    ) async throws -> (Ending, stderr: String) {
        try await withThrowingTaskGroup(of: (Ending, stderr: String)?.self) { group in
            group.addTask { try await launch(job) }
            group.addTask {
                await serveRequests(in: directory)
                return nil
            }
            defer { group.cancelAll() }
            while let ending = try await group.next() {
                if let ending { return ending }
            }
            throw CancellationError()
        }
    }

    /// Serves requests until the task is cancelled.
    private func serveRequests(in directory: URL) async {
        await withDiscardingTaskGroup { group in
            var pause = Self.pauses.shortest
            while !Task.isCancelled {
                let requests = Self.takeRequests(in: directory)
                for (job, place) in requests {
                    group.addTask { await serve(job, answeringAt: place) }
                }
                pause =
                    requests.isEmpty ? min(pause * 2, Self.pauses.longest) : Self.pauses.shortest
                try? await Task.sleep(for: pause)
            }
        }
    }

    private static func takeRequests(in directory: URL) -> [(job: String, place: URL)] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        return files.filter { $0.hasSuffix(".\(requestExtension)") }.compactMap { name in
            let request = directory.appending(path: name)
            guard let job = try? String(contentsOf: request, encoding: .utf8),
                (try? FileManager.default.removeItem(at: request)) != nil
            else { return nil }
            return (job, request.deletingPathExtension())
        }
    }

    private func serve(_ job: String, answeringAt place: URL) async {
        var answer = Answer(ending: .exited(ConformanceChild.failed))
        do {
            answer.ending = try await start(job)
        } catch {
            answer.failure = "\(error)"
        }
        // If the answer cannot be written, the requesting process reaches its time limit.
        try? JSONEncoder().encode(answer).write(
            to: place.appendingPathExtension(Self.answerExtension), options: .atomic)
    }
}
