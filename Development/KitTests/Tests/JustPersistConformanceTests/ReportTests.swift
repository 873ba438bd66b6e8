import Foundation
import Testing

@testable import JustPersistConformance

struct ReportTests {
    private static func report() -> ConformanceReport {
        var failed = CheckResult(id: "crud/a<b>", outcome: .fail)
        failed.failures = [CheckResult.Failure(message: "5 | \"six\" & \u{1}", place: "X.swift:1")]
        failed.rerun = "rerun it"
        var skipped = CheckResult(id: "child/x", outcome: .notApplicable)
        skipped.reason = "the store does not declare child stores"
        var measured = CheckResult(id: "perf/y", outcome: .pass)
        measured.measurements = [
            CheckResult.Measurement(name: "speed", value: .infinity, unit: "items/s")
        ]
        return ConformanceReport(
            store: "My|Store", level: .v1, profile: .quick, seed: 42, seconds: 1.25,
            results: [
                failed, skipped, measured, CheckResult(id: "iso/G0", outcome: .pass),
                CheckResult(id: "iso/P4", outcome: .fail),
            ])
    }

    @Test func theTableShowsEverythingThatIsNoPass() {
        let text = Self.report().text(as: .table)
        #expect(text.contains("crud/a<b>: fail"))
        #expect(text.contains("rerun it"))
        #expect(text.contains("not applicable: child/x: the store does not declare child stores"))
        #expect(text.contains("prevented: G0 yes, P4 NO"))
        #expect(text.contains("My|Store does NOT keep the contract (level 1, quick)"))
        #expect(text.contains("seed 42"))
    }

    @Test func jsonComesBackAsItWas() throws {
        let text = Self.report().text(as: .json)
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        let report = try decoder.decode(ConformanceReport.self, from: Data(text.utf8))
        #expect(report.results.map(\.id) == Self.report().results.map(\.id))
        #expect(report.results.map(\.outcome) == Self.report().results.map(\.outcome))
        #expect(report.seed == 42)
    }

    @Test func markdownKeepsItsTables() {
        let lines = Self.report().text(as: .markdown).split(separator: "\n")
        let rows = lines.filter { $0.hasPrefix("| crud") || $0.hasPrefix("| group") }
        #expect(rows.count == 2)
        #expect(Set(rows.map { $0.count { $0 == "|" } }).count == 1)
        #expect(lines.first == "## Conformance of My\\|Store")
    }

    @Test func junitIsXML() throws {
        let text = Self.report().text(as: .junit)
        #expect(text.contains(#"tests="5" failures="2" skipped="1""#))
        #expect(text.contains(#"name="crud/a&lt;b&gt;""#))
        #expect(text.contains("5 | &quot;six&quot; &amp; \u{fffd}"))
        #expect(!text.contains("\u{1}"))
    }

    @Test(arguments: [
        ("a.json", ConformanceReport.Format.json), ("a.md", .markdown), ("a.XML", .junit),
        ("a.txt", .table), ("a", .table),
    ])
    func theFormOfAFileIsThatOfItsName(_ name: String, _ format: ConformanceReport.Format) {
        #expect(ConformanceReport.Format(of: URL(filePath: name)) == format)
    }

    @Test func aReportIsWrittenToAFile() throws {
        let file = FileManager.default.temporaryDirectory
            .appending(path: "report-\(UUID().uuidString).md")
        defer { try? FileManager.default.removeItem(at: file) }
        try Self.report().write(to: file)
        #expect(try String(contentsOf: file, encoding: .utf8).hasPrefix("## Conformance of"))
    }

    @Test func aRunWithoutAPassIsNoConformance() {
        let report = ConformanceReport(
            store: "s", level: .v1, profile: .quick, seed: 1, seconds: 0,
            results: [CheckResult(id: "a/b", outcome: .unverified)])
        #expect(!report.isConformant)
    }
}
