import Foundation
import JustPersist

/// Starts further processes of the same program, in which the kit continues.
///
/// `JustPersistConformanceTesting` provides a launcher that uses exit tests; ``relaunching(arguments:)`` is for
/// programs and XCTest.
public struct ChildLauncher: Sendable {
    /// The end of a process.
    public enum Ending: Sendable, Hashable, Codable {
        /// The process exited with a code.
        case exited(Int32)
        /// A signal ended the process.
        case signalled(Int32)
    }

    let start: @Sendable (_ job: String) async throws -> Ending

    /// Creates a launcher from a function that runs ``ConformanceChild/serve(_:)`` with the job in a new process, waits
    /// for the end of the process, and returns it.
    ///
    /// `start` must not block a thread of Swift's cooperative pool while it waits: a check in one process may need
    /// other processes.
    public init(_ start: @escaping @Sendable (_ job: String) async throws -> Ending) {
        self.start = start
    }

    /// Starts a process for a job, and returns its end and its standard error.
    func launch(_ job: ChildJob) async throws -> (Ending, stderr: String) {
        let ending = try await start(job.text)
        let stderr = (try? Data(contentsOf: job.standardError)) ?? Data()
        return (ending, String(decoding: stderr, as: UTF8.self))
    }

    /// A launcher that starts this program again, with the given arguments and the job in its environment.
    ///
    /// The new process must call ``Conformance/report(on:level:options:children:progress:)`` or another entry point of
    /// the kit, which does the job and ends the process.
    public static func relaunching(arguments: [String]) -> ChildLauncher {
        ChildLauncher { job in
            let process = Process()
            process.executableURL = Bundle.main.executableURL
            process.arguments = arguments
            process.environment = ProcessInfo.processInfo.environment
                .merging([ConformanceChild.variable: job]) { _, new in new }
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            let running = Locked<Int32?>(nil)
            let stop: @Sendable () -> Void = {
                running.withLock { if let process = $0 { kill(process, SIGKILL) } }
            }
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    process.terminationHandler = { _ in
                        running.withLock { $0 = nil }
                        continuation.resume()
                    }
                    do {
                        try process.run()
                        running.withLock {
                            $0 = process.isRunning ? process.processIdentifier : nil
                        }
                        // The task may have been cancelled before the process was started.
                        if Task.isCancelled { stop() }
                    } catch {
                        continuation.resume(throwing: error)
                    }
                }
            } onCancel: {
                stop()
            }
            return process.terminationReason == .uncaughtSignal
                ? .signalled(process.terminationStatus) : .exited(process.terminationStatus)
        }
    }
}
