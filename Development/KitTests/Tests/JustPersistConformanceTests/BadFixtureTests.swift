import Foundation
import JustPersist
import JustPersistConformanceTesting
import Testing

/// A mistake in a fixture results in one readable failure, and the rest of the kit runs.
struct BadFixtureTests {
    private enum PrivateFixture: ConformanceFixture {
        static func makeStore(in directory: URL) -> MisbehavingStore {
            MisbehavingStore(.claimsPersistence)
        }
    }

    private static func report(
        on fixture: any ConformanceFixture.Type, only: String, timeout: Double = 30,
        inProcess: Bool = false
    ) async throws -> ConformanceReport {
        await Conformance.report(
            on: fixture,
            options: ConformanceOptions(
                only: try ConformanceOptions.patterns(in: only, of: "only"), seed: 1,
                timeout: timeout,
                runsInProcess: inProcess),
            children: .exitTests)
    }

    @Test func aFactoryThatThrowsIsOneFailureAndTheRestIsUnverified() async throws {
        let report = try await Self.report(on: ThrowingFixture.self, only: "fixture/fresh*,crud/*")
        #expect(!report.isConformant)
        #expect(report.count(.fail) == 1)
        #expect(report.count(.unverified) == report.results.count - 1)
        let message = report.results.first { $0.outcome == .fail }?.failures.first?.message
        #expect(message?.contains("NoServer") == true)
        #expect(
            report.results.last?.reason?.contains("fixture/fresh-store-is-empty failed") == true)
    }

    @Test func aStoreThatDoesNotWorkAtAllPassesNoSelection() async throws {
        let report = try await Self.report(on: ThrowingFixture.self, only: "crud/set-nil-clears")
        #expect(report.count(.fail) == 1)
        #expect(report.description.contains("NoServer"))
    }

    @Test(arguments: [false, true])
    func aStoreThatHangsIsOneFailureForEachCheck(inProcess: Bool) async throws {
        let report = try await Self.report(
            on: HangingFixture.self, only: "fixture/fresh-store-is-empty", timeout: 1,
            inProcess: inProcess)
        #expect(report.count(.fail) == 1)
        let message = report.results.first?.failures.first?.message
        #expect(message?.contains("hangs. Not ended: performRead.") == true)
    }

    @Test func aStoreThatTrapsCostsTheCheckNotTheRun() async throws {
        let report = try await Self.report(
            on: TrappingFixture.self,
            only: "fixture/fresh*,crud/token-is-stable,crud/types-do-not-mix"
        )
        let trapped = report.results.first { $0.id == "crud/token-is-stable" }
        #expect(trapped?.outcome == .fail)
        let message = trapped?.failures.first?.message ?? ""
        #expect(message.contains("signal"))
        #expect(message.contains("the store's own words"))
        #expect(report.results.first { $0.id.hasPrefix("fixture/fresh") }?.outcome == .pass)
    }

    @Test func aPreconditionIsQuotedAsAFatalErrorIs() async throws {
        let report = try await Self.report(
            on: PreconditionFixture.self, only: "fixture/fresh*,crud/token-is-stable")
        let message = report.results.last?.failures.first?.message ?? ""
        #expect(message.contains("Precondition failed: the store's own condition"))
    }

    @Test func aStoreThatTrapsBehindACrashCostsTheCheckNotTheRun() async throws {
        let report = try await Self.report(
            on: LeftoversFixture.self, only: "fixture/fresh*,dur/kill9-after-sync")
        let trapped = report.results.first { $0.id == "dur/kill9-after-sync" }
        #expect(trapped?.outcome == .fail)
        let message = trapped?.failures.first?.message ?? ""
        #expect(message.contains("signal"))
        #expect(message.contains("its own files"))
        #expect(report.results.first { $0.id.hasPrefix("fixture/fresh") }?.outcome == .pass)
    }

    @Test func aStoreThatClaimsPersistenceIsFoundOut() async throws {
        let report = try await Self.report(
            on: LyingFixture.self, only: "dur/reopen,crud/set-nil-clears")
        #expect(report.results.first { $0.id == "dur/reopen" }?.outcome == .fail)
        #expect(report.results.first { $0.id == "crud/set-nil-clears" }?.outcome == .pass)
    }

    @Test func aPrivateFixtureIsToldSoAndRunsInTheProcess() async throws {
        let report = try await Self.report(
            on: PrivateFixture.self,
            only: "fixture/recreatable*,crud/set-nil-clears,dur/kill9-after-sync")
        let recreatable = report.results.first { $0.id.hasPrefix("fixture/recreatable") }
        #expect(recreatable?.outcome == .fail)
        #expect(recreatable?.failures.first?.message.contains("private") == true)
        #expect(report.results.first { $0.id == "crud/set-nil-clears" }?.outcome == .pass)
        #expect(report.results.first { $0.id == "dur/kill9-after-sync" }?.outcome == .unverified)
    }

    @Test func anErrorHandlerOfTheFixtureIsReplaced() async throws {
        let report = try await Self.report(on: LoggingFixture.self, only: "fixture/*,life/*,err/*")
        #expect(report.count(.fail) + report.count(.unverified) == 0, "\(report)")
    }

    @Test func aCancelledRunSaysSoAndEnds() async throws {
        let run = Task {
            await Conformance.report(
                on: HangingFixture.self,
                options: ConformanceOptions(only: ["fixture/*", "crud/*"], seed: 1, timeout: 600),
                children: nil)
        }
        try await Task.sleep(for: .milliseconds(200))
        run.cancel()
        let report = await run.value
        #expect(report.count(.unverified) == report.results.count)
        #expect(report.results.last?.reason == "the run was cancelled")
    }

    @Test func aKnownFailureThatIsNoCheckIsToldOnce() async throws {
        let report = try await Self.report(
            on: MisspeltFixture.self, only: "fixture/*,crud/set-nil-clears")
        #expect(report.count(.fail) == 1)
        let message = report.results.first { $0.outcome == .fail }?.failures.first?.message
        #expect(message?.contains("“dur/reopne”") == true)
    }

    @Test func knownFailuresAreShownAndTurnRedWhenTheyPass() async throws {
        let report = try await Self.report(
            on: KnownFixture.self, only: "dur/reopen,crud/set-nil-clears")
        let reopen = report.results.first { $0.id == "dur/reopen" }
        #expect(reopen?.outcome == .knownFailing)
        #expect(reopen?.reason == "keeps nothing yet (https://example.com/1)")
        let create = report.results.first { $0.id == "crud/set-nil-clears" }
        #expect(create?.outcome == .fail)
        #expect(create?.failures.first?.message.contains("knownFailures") == true)
    }
}
