import Foundation
import Testing

@testable import JustPersist
@testable import JustPersistConformance

/// Failed checks show values as people write them.
struct ReadableTextTests {
    private enum Course { case starter, main(Int?) }

    private struct Plate {
        let course: Course
        let price: Int?
    }

    @Test(
        arguments: [
            (DataStoreValue.string("Soup"), "\"Soup\""),
            ([DataStoreValue.int(1), .null], "[1, nil]"),
            ([[DataStoreValue.string("a")]], "[[\"a\"]]"),
            (
                ["price": DataStoreValue.int(5), "name": .string("Soup")],
                "{name: \"Soup\", price: 5}"
            ),
            (
                DataStoreRow(columns: ["a", "count"], values: [.null, .int(2)]),
                "{a: nil, count: 2}"
            ),
            ([DataStoreError.Code.nestedWrite], "[nestedWrite]"), (Set([2, 1]), "[1, 2]"),
            (Date(timeIntervalSinceReferenceDate: .infinity), "inf s since 2001"),
            (Plate(course: .main(3), price: nil), "{course: main(3), price: nil}"),
            (Course.starter, "starter"), ((1, "two"), "(1, \"two\")"),
            (Int??.some(3) as any Sendable, "3"),
        ] as [(any Sendable, String)])
    func aValueIsWrittenAsPeopleDo(_ value: any Sendable, _ text: String) {
        #expect(ReadableText.of(value) == text)
    }

    @Test func kindsAndBitsAreShownWhereNothingElseDiffers() {
        #expect(
            ReadableText.pair(DataStoreValue.int(3), DataStoreValue.decimal(3))
                == ("int 3", "decimal 3"))
        #expect(
            ReadableText.pair(["\u{e9}"], ["e\u{301}"]) == (#"["\u{e9}"]"#, #"["e\u{301}"]"#))
        #expect(ReadableText.pair(1, 2) == ("1", "2"))
    }

    @Test func aLongListIsCutDownToItsFirstDifference() {
        let (found, wanted) = ReadableText.pair(
            Array(0..<500), Array(0..<400) + [7] + Array(401..<499))
        #expect(found == "[…, 399: 399, 400: 400, 401: 401, …] (500 in all)")
        #expect(wanted == "[…, 399: 399, 400: 7, 401: 401, …] (499 in all)")
    }

    @Test func aFailedCheckShowsRows() async {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        let report = await Conformance.report(
            on: Mutant<ClearsNumbers>.self,
            options: ConformanceOptions(
                only: ["prim/set-many", "twin/fetch", "crud/update-leaves-other-attributes"],
                seed: 1, runsInProcess: true, replayDirectory: directory), children: nil)
        #expect(report.count(.fail) == 3, "\(report)")
        for format in [ConformanceReport.Format.table, .json, .markdown, .junit] {
            let text = report.text(as: format)
            #expect(!text.contains("Optional("), "\(text)")
            #expect(!text.contains("DataStoreValue"), "\(text)")
        }
        let table = report.text(as: .table)
        #expect(table.contains("{number: nil}"), "\(table)")
        #expect(table.contains(/ConformanceQuery \d+ \{\w+:/), "\(table)")
        #expect(table.contains(#"got {name: "name", note: "note", number: nil}"#), "\(table)")
    }
}

/// Clears the numbers of items that are changed.
final class ClearsNumbers: RowMutant, Fault, @unchecked Sendable {
    override class func kept(_ row: ReferenceRow, over old: ReferenceRow?) -> ReferenceRow {
        ReferenceRow(
            row.key,
            values: row.values.filter { name, value in
                if case .int = value { old == nil } else { true }
            })
    }
}

extension CheckResult {
    /// The messages in which there is something that Swift prints for programmers.
    var dumps: [Substring] {
        failures.map { $0.message.split(separator: "In Swift:")[0] }.filter { message in
            ["Optional(", "JustPersist.", "JustPersistConformance.", "DataStoreValue", "rawValue:"]
                .contains { message.contains($0) }
                || message.contains(/\bstring\(|\b(int|double|bool|date|decimal)\([^"]/)
        }
    }
}
