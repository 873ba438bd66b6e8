import Foundation
@_exported public import JustPersistConformance
public import Testing

extension Conformance {
    /// The checks of a store, as the arguments of a test.
    ///
    /// ```swift
    /// @Suite(.serialized) struct MyStoreConformance {
    ///     @Test(arguments: Conformance.checks(MyFixture.self, level: .v1))
    ///     func check(_ check: Check) async throws { try await check.run() }
    /// }
    /// ```
    ///
    /// Each check runs in a process of its own, as an exit test, and `.serialized` runs one after the other. Without it,
    /// as many run at a time as the machine has processors, which takes less time. Options come from the environment; see
    /// `ConformanceOptions.init(environment:)`. One that cannot be read stops the run with a message.
    public static func checks(
        _ fixture: any ConformanceFixture.Type, level: ConformanceLevel = .v1
    ) -> [Check] {
        let options: ConformanceOptions
        do throws(ConformanceOptionsError) {
            options = try ConformanceOptions(environment: ProcessInfo.processInfo.environment)
        } catch {
            try? FileHandle.standardError.write(contentsOf: Data("\(error)\n".utf8))
            exit(64)
        }
        return checks(fixture, level: level, options: options, children: .exitTests)
    }
}

extension ChildLauncher {
    /// Starts processes as exit tests of Swift Testing; only inside a test.
    public static let exitTests = ChildLauncher { job in
        let result = await #expect(
            processExitsWith: .failure
        ) { [job = job as String] in
            await ConformanceChild.serve(job)
        }
        switch result?.exitStatus {
        case .exitCode(let code): return .exited(code)
        case .signal(let signal): return .signalled(signal)
        case nil: throw CancellationError()  // The test was cancelled.
        @unknown default: throw CancellationError()
        }
    }
}

extension Check: CustomTestStringConvertible {
    /// The id.
    public var testDescription: String { id }
}
