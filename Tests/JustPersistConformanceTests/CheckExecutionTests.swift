import Foundation
import JustPersist
import Testing

@testable import JustPersistConformance

/// What the kit makes of checks that are not as they should be, and of its own inventory.
struct CheckExecutionTests {
    private static func result(
        gate: Gate = .mandatory, timeout: Double = 30,
        _ run: @escaping @Sendable (CheckContext) throws -> Void
    ) async -> CheckResult {
        await CheckExecution(
            fixture: SoundFixture.self,
            definition: CheckDefinition("test/check", clause: [4], gate: gate, "", run: run),
            variant: .plain, options: ConformanceOptions(seed: 1, timeout: timeout), launcher: nil
        ).result()
    }

    @Test func aCheckThatDemandsNothingFails() async {
        let result = await Self.result { _ in }
        #expect(result.outcome == .fail)
        #expect(result.failures.first?.message.contains("demanded nothing") == true)
    }

    @Test func aCheckThatHangsIsGivenUp() async {
        let result = await Self.result(timeout: 1) { check in
            check.expect(true, "")
            Latch().wait()
        }
        #expect(result.outcome == .fail)
        #expect(result.failures.first?.place.hasPrefix("CheckExecutionTests.swift:") == true)
    }

    @Test func eachFailureIsKeptUpToALimit() async {
        let result = await Self.result { check in
            for number in 0..<100 { check.expectEqual(number, -1, "a number") }
        }
        #expect(result.expectations == 100)
        #expect(result.sites == 1)
        #expect(result.failures.count == 21)
        #expect(result.failures.last?.message.contains("80 more") == true)
    }

    @Test func anErrorOfAnotherKindFailsTheCheck() async {
        let result = await Self.result { check in
            check.expect(true, "")
            throw CancellationError()
        }
        #expect(result.outcome == .fail)
        #expect(result.failures.first?.message.contains("CancellationError") == true)
    }

    @Test func stoppingIsNoPass() async {
        let unverified = await Self.result { try $0.unverified("no disk") }
        #expect(unverified.outcome == .unverified)
        #expect(unverified.reason == "no disk")
        let stopped = await Self.result { check in
            _ = try check.require(nil as Int?, "a number")
        }
        #expect(stopped.outcome == .fail)
    }

    @Test func gatesFollowTheCapabilities() async {
        let required = await Self.result(gate: .requires(.childStores)) { $0.fail("ran") }
        #expect(required.outcome == .notApplicable)
        let counter = await Self.result(gate: .counterCheck(.serializable)) { $0.fail("ran") }
        #expect(counter.outcome == .notApplicable)
        let counted = await Self.result(gate: .counterCheck(.childStores)) { check in
            check.expect(true, "")
        }
        #expect(counted.outcome == .pass)
        let reported = await Self.result(gate: .report) { $0.fail("slow") }
        #expect(reported.outcome == .unverified)
    }

    @Test func theDirectoryOfACheckIsRemoved() async {
        let place = Locked<URL?>(nil)
        _ = await Self.result { check in
            place.withLock { $0 = check.directory }
            check.expect(FileManager.default.fileExists(atPath: check.directory.path), "")
        }
        let path = place.withLock { $0?.path } ?? ""
        #expect(!path.isEmpty && !FileManager.default.fileExists(atPath: path))
    }

    @Test func randomNumbersDependOnSeedCheckAndPurpose() async {
        let numbers = Locked<[UInt64]>([])
        for _ in 0..<2 {
            _ = await Self.result { check in
                var one = check.generator("a")
                var two = check.generator("b")
                numbers.withLock { $0 += [one.next(), two.next()] }
                check.expect(true, "")
            }
        }
        let drawn = numbers.withLock { $0 }
        #expect(drawn.count == 4)
        #expect(drawn.prefix(2) == drawn.suffix(2))
        #expect(Set(drawn).count == 2)
    }
}
