import Foundation
import JustPersistConformanceTesting
import Testing

@testable import JustPersist
@testable import JustPersistConformance

/// The kit's results for faulty checks, and its inventory.
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

    @Test func aCallThatHangsIsNamed() async {
        let result = await Self.result(timeout: 1) { check in
            let store = try check.openStore()
            store.read { _ in
                check.expect(true, "")
                Latch().wait()
            }
        }
        let message = result.failures.first?.message ?? ""
        #expect(message.contains("a call hangs"))
        #expect(message.contains("Not ended: performRead, the block of performRead."))
    }

    @Test(
        arguments: [
            (0.9, 0, nil), (1.1, 0, .hanging), (1.1, 0.5, nil), (3.9, 0.1, nil), (4.1, 2, .slow),
        ] as [(Double, Double, Watchdog.Verdict?)])
    func aCheckThatComputesIsNotTakenForOneThatHangs(
        stillness: Double, computed: Double, verdict: Watchdog.Verdict?
    ) {
        #expect(
            Watchdog.verdict(
                stillness: stillness, longestCall: stillness, timeout: 1, computed: computed)
                == verdict)
    }

    @Test func aCallThatNeverEndsIsGivenUpThoughOtherThreadsGoOn() async {
        let over = Latch()
        let isOver = Locked(false)
        let result = await Self.result(timeout: 0.5) { check in
            let store = try check.openStore()
            let begun = Latch()
            let reader = check.start {
                store.read { _ in
                    begun.open()
                    over.wait()
                }
            }
            begun.wait()
            let closer = check.start { try store.destroy() }
            while !isOver.withLock({ $0 }) {
                check.expect(true, "")
                Thread.sleep(forTimeInterval: 0.01)
            }
            for thread in [reader, closer] { try thread.join() }
        }
        isOver.withLock { $0 = true }
        over.open()
        let message = result.failures.first?.message ?? ""
        #expect(message.contains("although other threads continued"))
        #expect(message.contains("destroy"))
    }

    @Test func aSlowCallInAProcessOfItsOwnIsNotGivenUp() async {
        let report = await Conformance.report(
            on: SlowFixture.self,
            options: ConformanceOptions(
                only: ["fixture/fresh-store-is-empty"], seed: 1, timeout: 1),
            children: .exitTests)
        #expect(report.isConformant, "\(report)")
    }

    @Test func aValueThatIsMissingComesWithTheErrorThatTheStoreReported() async {
        let result = await CheckExecution(
            fixture: Mutant<MakesNoItems>.self,
            definition: CheckDefinition("test/check", clause: [4], "") { check in
                let store = try check.openStore()
                try store.write { db in
                    _ = try check.require(
                        db.createItem(ofMutableType: ConformanceUser.self), "createItem")
                }
            },
            variant: .plain, options: ConformanceOptions(seed: 1), launcher: nil
        ).result()
        #expect(result.outcome == .fail)
        #expect(result.failures.first?.message.contains("There is no room") == true, "\(result)")
    }

    @Test(arguments: [
        "Store.swift:7: Fatal error: the reason", "Store.swift:7: Precondition failed: the reason",
        "Store.swift:7: Assertion failed: the reason",
    ])
    func theReasonOfATrapIsQuotedWhateverStandsBehindIt(line: String) {
        let stderr = "a log line\n\(line)\n\nThread 1 crashed:\n0 main in Store.swift\n"
        #expect(stderr.lastWords == " It said: \(line)")
        #expect("a log line\nthe last\n".lastWords == " It said: the last")
    }

    @Test func aKillHasLandedWhereTheLastCallHadNotReturned() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        #expect(try !CrashLog(in: directory).isInsideCall)
        for (text, numbers, isInside) in [
            ("0\n", [0], false), ("0\nbegin\n", [0], true), ("0\nbegin\n1\n", [0, 1], false),
        ] {
            try text.write(to: CrashLog.file(in: directory), atomically: true, encoding: .utf8)
            let log = try CrashLog(in: directory)
            #expect(log.numbers == numbers)
            #expect(log.isInsideCall == isInside)
        }
    }

    @Test func threeFailuresOfAPlaceAreKept() async {
        let result = await Self.result { check in
            for number in 0..<100 { check.expectEqual(number, -1, "a number") }
            for line in 1...2 { check.expectEqual(0, 1, "another", line: line) }
        }
        #expect(result.expectations == 102)
        #expect(result.sites == 3)
        #expect(result.failures.count == 6)
        #expect(result.failures.last?.message == "… and 97 more")
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

/// Refuses every item for lack of space.
final class MakesNoItems: BlockMutant, Fault, @unchecked Sendable {
    override class func create(
        _ type: ItemType, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> any MutableDataStoreItem {
        throw DataStoreError(.storageFull, in: "create", "There is no room.")
    }
}
