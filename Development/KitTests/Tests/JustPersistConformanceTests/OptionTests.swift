import Foundation
import Testing

@testable import JustPersistConformance

struct OptionTests {
    @Test func optionsComeFromTheEnvironment() throws {
        let options = try ConformanceOptions(environment: [
            "JP_PROFILE": "soak", "JP_ONLY": "iso/*, crud/set-nil-clears", "JP_SEED": "7",
            "JP_TIMEOUT": "2.5", "JP_IN_PROCESS": "1", "JP_REPORT": "/tmp/report.md",
        ])
        #expect(options.profile == .soak)
        #expect(options.only == ["iso/*", "crud/set-nil-clears"])
        #expect(options.seed == 7)
        #expect(options.timeout == 2.5)
        #expect(options.runsInProcess)
        #expect(options.reportFile?.lastPathComponent == "report.md")
    }

    @Test func emptyVariablesAreAsGoodAsNone() throws {
        let options = try ConformanceOptions(environment: ["JP_SEED": "", "JP_ONLY": ""])
        #expect(options.profile == .quick)
        #expect(options.only.isEmpty)
    }

    @Test(arguments: [
        ("JP_PROFILE", "fast"), ("JP_SEED", "-1"), ("JP_SEED", "x"), ("JP_TIMEOUT", "0"),
        ("JP_TIMEOUT", "nan"), ("JP_IN_PROCESS", "yes"),
    ])
    func whatCannotBeReadIsNamed(_ name: String, _ value: String) {
        let error = #expect(throws: ConformanceOptionsError.self) {
            try ConformanceOptions(environment: [name: value])
        }
        #expect(error?.description.contains(name) == true)
        #expect(error?.description.contains(value) == true)
    }

    @Test(arguments: [
        ("iso/*", "iso/G1c", true), ("iso/*", "isolation", false), ("*", "a/b", true),
        ("crud/delete-item", "crud/delete-item@child", true),
        ("crud/delete-item@child", "crud/delete-item@child", true),
        ("crud/delete-item@child", "crud/delete-item", false),
        ("*@reopened", "val/uuid@reopened", true), ("a*b*c", "aXbXc", true),
        ("a*b*c", "aXcXb", false), ("crud/delete", "crud/delete-item", false), ("", "a", false),
        ("a*a", "a", false),
    ])
    func patternsMatchIDs(_ pattern: String, _ id: String, _ matches: Bool) {
        #expect(IDPattern(pattern).matches(id) == matches)
    }
}
