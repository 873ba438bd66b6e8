import Foundation
import JustPersist

/// The conformance kit: examines whether a store keeps the contract.
///
/// With Swift Testing, import `JustPersistConformanceTesting` and test `Conformance.checks(MyFixture.self)`.
/// Elsewhere, call ``report(on:level:options:children:progress:)``.
public enum Conformance {
    /// The checks of a run, in order.
    ///
    /// Run each of them once.
    ///
    /// After the last check the report is printed, and written to the file that the options specify, if any.
    public static func checks(
        _ fixture: any ConformanceFixture.Type, level: ConformanceLevel = .v1,
        options: ConformanceOptions, children: ChildLauncher?
    ) -> [Check] {
        let assessment = Assessment(
            fixture: fixture, level: level, options: options, launcher: children
        ) { print($0) }
        if children != nil, !options.runsInProcess, !ChildJob.canFind(fixture) {
            try? FileHandle.standardError.write(
                contentsOf: Data(
                    """
                    The fixture \(fixture) is private or declared in a function, so its checks run in this \
                    process: one that traps ends the run. Make it non-private.

                    """.utf8))
        }
        return assessment.checks()
    }

    /// Runs the checks, and returns a report.
    ///
    /// The kit runs as many processes at a time as the machine has processors, and at the end, one after the other, the
    /// checks that measure times. `children` starts the processes; without it the checks run in this process, and
    /// checks of crashes are unverified. The report is also written to the file that the options specify, if any.
    /// `progress` receives each result when its check ends.
    ///
    /// In a process that the kit started itself, this call does that process's job, and does not return.
    public static func report(
        on fixture: any ConformanceFixture.Type, level: ConformanceLevel = .v1,
        options: ConformanceOptions, children: ChildLauncher?,
        progress: (@Sendable (CheckResult) -> Void)? = nil
    ) async -> ConformanceReport {
        if let job = ProcessInfo.processInfo.environment[ConformanceChild.variable] {
            await ConformanceChild.serve(job)
        }
        let assessment = Assessment(
            fixture: fixture, level: level, options: options, launcher: children)
        let checks = assessment.checks()
        let areInProcesses = children != nil && !options.runsInProcess && ChildJob.canFind(fixture)
        func runsAlone(_ check: Check) -> Bool {
            !areInProcesses || check.definition.group == "perf"
        }
        await withTaskGroup(of: CheckResult.self) { group in
            for check in checks.filter({ !runsAlone($0) }) + checks.filter(runsAlone) {
                if runsAlone(check) { for await result in group { progress?(result) } }
                group.addTask { await check.result() }
            }
            for await result in group { progress?(result) }
        }
        return assessment.report
    }

    /// Runs the checks in a test of XCTest, with the options from the environment.
    ///
    /// ```swift
    /// final class MyStoreConformance: XCTestCase {
    ///     func testConformance() async throws {
    ///         let report = try await Conformance.report(on: MyFixture.self, from: self)
    ///         XCTAssert(report.isConformant, report.description)
    ///     }
    /// }
    /// ```
    ///
    /// On Linux the checks run in further processes of the test program, which run only this test. On macOS the checks
    /// run in this process, and checks of crashes are unverified.
    ///
    /// - Parameters:
    ///   - fixture: The fixture of the store.
    ///   - level: The level of the kit that the store must pass.
    ///   - test: The test case.
    ///   - function: The test method; leave the default.
    public static func report(
        on fixture: any ConformanceFixture.Type, level: ConformanceLevel = .v1, from test: Any,
        function: String = #function
    ) async throws -> ConformanceReport {
        #if os(Linux)
            let method = function.prefix { $0 != "(" }
            let children: ChildLauncher? = .relaunching(
                arguments: ["\(String(reflecting: type(of: test)))/\(method)"])
        #else
            let children: ChildLauncher? = nil
        #endif
        let options = try ConformanceOptions(environment: ProcessInfo.processInfo.environment)
        return await report(on: fixture, level: level, options: options, children: children)
    }
}
