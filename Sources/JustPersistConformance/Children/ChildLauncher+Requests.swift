import Foundation
import JustPersist

/// Processes for a check that itself runs in a process of its own, where none can be started: an exit test
/// cannot begin another. The one that can finds what is asked for as files in a directory of both.
extension ChildLauncher {
    /// The end of a process that was requested.
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

    /// How often each side looks: often while there is something to do.
    private static let pauses = (
        shortest: Duration.milliseconds(2), longest: Duration.milliseconds(32)
    )

    /// How long an answer may take: a program whose tests block all threads of its cooperative pool does
    /// nothing else meanwhile.
    private static let patience = Duration.seconds(600)

    /// A launcher that leaves it to the process that serves the requests in this directory.
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

    /// Starts a process for a job, and until its end those that it asks for.
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

    /// Starts what is asked for, until the task is cancelled.
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
        // If it cannot be written, the asker's patience ends.
        try? JSONEncoder().encode(answer).write(
            to: place.appendingPathExtension(Self.answerExtension), options: .atomic)
    }
}
