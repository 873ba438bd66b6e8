import Foundation
import JustPersist

/// A way to start a further process of the same program, in which the kit goes on.
///
/// `JustPersistConformanceTesting` brings one made of exit tests; ``relaunching(arguments:)`` serves
/// programs and XCTest.
public struct ChildLauncher: Sendable {
    /// How a process ended.
    public enum Ending: Sendable, Hashable, Codable {
        /// It exited with a code.
        case exited(Int32)
        /// A signal ended it.
        case signalled(Int32)
    }

    let start: @Sendable (_ job: String) async throws -> Ending

    /// A launcher that runs ``ConformanceChild/serve(_:)`` with the job in a process of its own, waits for
    /// its end, and says how that came.
    ///
    /// It must not hold a thread of Swift's cooperative pool while it waits: a check in one process may need
    /// others.
    public init(_ start: @escaping @Sendable (_ job: String) async throws -> Ending) {
        self.start = start
    }

    /// Starts a process for a job, and gives its end and what it wrote to standard error.
    func launch(_ job: ChildJob) async throws -> (Ending, stderr: String) {
        let ending = try await start(job.text)
        let stderr = (try? Data(contentsOf: job.standardError)) ?? Data()
        return (ending, String(decoding: stderr, as: UTF8.self))
    }

    /// Starts this program again with the given arguments and the job in its environment; it gets to
    /// ``Conformance/report(on:level:options:children:progress:)`` or another entrance of the kit, which does the job
    /// and ends the process.
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
                        // It may have been cancelled before there was anything to stop.
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
