import Foundation
import JustPersist

/// The conformance kit: finds out whether a store keeps the contract.
///
/// With Swift Testing, import `JustPersistConformanceTesting` and test `Conformance.checks(MyFixture.self)`.
/// Elsewhere, take a ``report(on:level:options:children:progress:)``.
public enum Conformance {
    /// The checks of a run, each to be run once, in order.
    ///
    /// After the last check the report is printed, and written where the options say.
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

    /// Runs the checks, and reports: as many processes at a time as the machine has processors, and at the end, one
    /// after the other, the checks that measure times.
    ///
    /// In a process that the kit started itself this does that process's job, and does not return.
    /// The report is also written to the file that the options name. Processes in which checks run are started
    /// by `children`; without it they run here, and checks of
    /// crashes are unverified. `progress` is given each result as it comes.
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
    /// On Linux the checks run in processes of their own: the test program, which runs this test alone there.
    /// On macOS checks run in this process, and those of crashes are unverified.
    /// `test` is the test case, and `function` the test method, which has no other name in XCTest.
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
