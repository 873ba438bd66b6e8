import Foundation
import JustPersist
import Testing

@testable import JustPersistConformance

enum SnapshotFixture: ConformanceFixture {
    static func makeStore(in directory: URL) -> LooseStore { LooseStore(.snapshot) }
}

enum LastWriterFixture: ConformanceFixture {
    static func makeStore(in directory: URL) -> LooseStore { LooseStore(.lastWriterWins) }
}

enum ReadCommittedFixture: ConformanceFixture {
    static func makeStore(in directory: URL) -> LooseStore { LooseStore(.readCommitted) }
}

enum ReadUncommittedFixture: ConformanceFixture {
    static func makeStore(in directory: URL) -> LooseStore { LooseStore(.readUncommitted) }
}

enum ReferenceFixture: ConformanceFixture {
    static func makeStore(in directory: URL) -> ReferenceDataStore { ReferenceDataStore() }
}

enum MainThreadFixture: ConformanceFixture {
    static func makeStore(in directory: URL) -> ReferenceDataStore {
        ReferenceDataStore(threading: .mainThread)
    }
}

/// The isolation checks fail for stores that run blocks concurrently, each for the anomaly that the store permits.
@Suite struct IsolationCheckTests {
    /// The scripts of the anomalies.
    private static let scripts = [
        "G0", "P4", "PMP-write", "G-single-write-predicate", "G1a", "G1b", "G1c", "OTV", "PMP",
        "G-single", "G-single-predicate", "G2-item", "G2",
    ].map { "iso/\($0)" }

    private func failures(
        _ fixture: any ConformanceFixture.Type, _ only: [String]
    ) async -> [String: String] {
        let report = await Conformance.report(
            on: fixture, options: ConformanceOptions(only: only, runsInProcess: true),
            children: nil)
        #expect(report.results.count == only.count)
        return Dictionary(
            uniqueKeysWithValues: report.results.filter { $0.outcome == .fail }
                .map { ($0.id, $0.description) })
    }

    @Test func serialStoresShowNoAnomaly() async {
        let failures = await failures(ReferenceFixture.self, Self.scripts)
        #expect(failures.isEmpty, "\(failures)")
    }

    @Test func serialStoresOfTheMainThreadShowNoAnomaly() async {
        let failures = await failures(MainThreadFixture.self, Self.scripts)
        #expect(failures.isEmpty, "\(failures)")
    }

    @Test func snapshotsShowWriteSkewOnly() async {
        let failures = await failures(SnapshotFixture.self, Self.scripts)
        #expect(failures.keys.sorted() == ["iso/G2", "iso/G2-item"], "\(failures)")
    }

    @Test func lastWriterWinningLosesUpdates() async {
        let failures = await failures(
            LastWriterFixture.self, Self.scripts + ["iso/P4-counter", "iso/bank"])
        #expect(
            failures.keys.contains("iso/P4") && failures.keys.contains("iso/P4-counter")
                && failures.keys.contains("iso/bank"), "\(failures)")
        #expect(!failures.keys.contains("iso/G-single"), "\(failures)")
    }

    @Test func readCommittedShowsReadSkew() async {
        let failures = await failures(
            ReadCommittedFixture.self, Self.scripts + ["iso/repeatable-read"])
        let skew = ["iso/G-single", "iso/G-single-predicate", "iso/PMP", "iso/repeatable-read"]
        #expect(Set(skew).isSubset(of: failures.keys), "\(failures)")
        #expect(Set(["iso/G1a", "iso/G1b"]).isDisjoint(with: failures.keys), "\(failures)")
    }

    @Test func readUncommittedShowsWhatIsRolledBack() async {
        let failures = await failures(ReadUncommittedFixture.self, ["iso/G1a", "iso/G1b"])
        #expect(failures.keys.sorted() == ["iso/G1a", "iso/G1b"], "\(failures)")
    }

    @Test(arguments: [
        (SnapshotFixture.self as any ConformanceFixture.Type, "G2-item"),
        (LastWriterFixture.self, "incompatible order"),
        (ReadCommittedFixture.self, "G-single"),
    ])
    func randomHistoriesShowItToo(
        _ fixture: any ConformanceFixture.Type, _ anomaly: String
    ) async {
        let failures = await failures(fixture, ["iso/elle-list-append"])
        let text = failures.values.first ?? ""
        // A store that refuses blocks ends the check before that.
        #expect(text.contains(anomaly) || text.contains("changed the item first"), "\(text)")
    }
}
