import Foundation
import JustPersist

/// Starts further processes for a check, whose thread waits for their end.
///
/// The requests are served in the task that runs the check, because exit tests belong to their test's task.
struct ChildStarter: Sendable {
    /// One process to be started.
    final class Request: Sendable {
        let job: ChildJob
        private let answer = Promise<(ChildLauncher.Ending, String)>()

        init(_ job: ChildJob) { self.job = job }

        func serve(by launcher: ChildLauncher) async {
            do {
                answer.settle(.success(try await launcher.launch(job)))
            } catch {
                answer.settle(.failure(error))
            }
        }

        func wait() throws -> (ChildLauncher.Ending, String) { try answer.get() }
    }

    private let send: @Sendable (Request) -> Void

    init(_ send: @escaping @Sendable (Request) -> Void) { self.send = send }

    /// Starts a process, and waits for its end.
    func run(_ job: ChildJob) throws -> (ChildLauncher.Ending, stderr: String) {
        let request = Request(job)
        send(request)
        return try request.wait()
    }
}
