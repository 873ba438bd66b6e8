import Foundation
import Synchronization

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

    private let start: @Sendable (_ job: String) async throws -> (Ending, stderr: String)

    /// A launcher that runs ``ConformanceChild/serve(_:)`` with the job in a process of its own, waits for
    /// its end, and gives that and what it wrote to standard error.
    public init(
        _ start: @escaping @Sendable (_ job: String) async throws -> (Ending, stderr: String)
    ) {
        self.start = start
    }

    func launch(_ job: ChildJob) async throws -> (Ending, stderr: String) {
        try await start(job.text)
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
            let output = FileManager.default.temporaryDirectory
                .appending(path: "conformance-\(UUID().uuidString).stderr")
            try Data().write(to: output)
            defer { try? FileManager.default.removeItem(at: output) }
            let standardError = try FileHandle(forWritingTo: output)
            // A process object keeps its handles beyond its end, and some hundreds of them are too many.
            defer { try? standardError.close() }
            process.standardError = standardError
            try await withCheckedThrowingContinuation { continuation in
                process.terminationHandler = { _ in continuation.resume() }
                do { try process.run() } catch { continuation.resume(throwing: error) }
            }
            let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
            return process.terminationReason == .uncaughtSignal
                ? (.signalled(process.terminationStatus), text)
                : (.exited(process.terminationStatus), text)
        }
    }
}
