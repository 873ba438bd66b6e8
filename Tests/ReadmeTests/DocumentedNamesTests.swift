import Foundation
import JustPersistMemory
import Testing

/// The articles that list every case of something list every case.
@Suite struct DocumentedNamesTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: sources.appending(path: path), encoding: .utf8)
    }

    private static func article(_ name: String) throws -> String {
        try text("JustPersist/JustPersist.docc/\(name).md")
    }

    /// The rows of an article's tables, as cells.
    private static func rows(of article: String) -> [[String]] {
        article.split(separator: "\n").filter { $0.hasPrefix("| ") }.map { row in
            row.dropFirst(2).dropLast(2).components(separatedBy: " | ")
        }
    }

    /// The names of all codes, which have no list in Swift because other modules may add some.
    private static func codes() throws -> [String] {
        try text("JustPersist/Errors/DataStoreError+Code.swift")
            .matches(of: /public static let (\w+) = Code\("(\w+)"\)/).map { String($0.2) }
    }

    @Test func errorsHasEachCodeWithItsCauseAndRemedy() throws {
        let codes = try Self.codes()
        #expect(codes.contains("storageFull"))
        let rows = Self.rows(of: try Self.article("Errors")).filter { $0.count == 3 }
        for code in codes {
            let found = rows.filter { $0[0] == "`\(code)`" }
            #expect(found.count == 1, "\(code) has \(found.count) rows in Errors.md")
            #expect(found.allSatisfy { $0[1].count > 10 && !$0[2].isEmpty }, "\(code)")
        }
    }

    @Test func errorsHasNoOtherCode() throws {
        let codes = Set(try Self.codes())
        let rows = Self.rows(of: try Self.article("Errors")).filter { $0.count == 3 }
        let named = rows.map { $0[0] }.filter { $0.hasPrefix("`") && !$0.contains(" ") }
        #expect(named.allSatisfy { codes.contains($0.trimmingCharacters(in: ["`"])) })
    }

    @Test func thePredicateLanguageHasEachOperatorAndFunction() throws {
        let article = try Self.article("PredicateLanguage")
        for relation in DataStorePredicate.Operator.allCases {
            #expect(article.contains("`\(relation.rawValue)"), "\(relation)")
        }
        for function in DataStorePredicate.Function.allCases {
            let parts = function.rawValue.split(separator: ":")
            let call = parts.count == 1 ? "\(parts[0])(" : "\(function.rawValue)("
            #expect(article.contains(call), "\(function)")
        }
    }

    /// The examples in the table of functions are predicates' text.
    @Test func theFunctionsOfTheArticleAreParsed() throws {
        let article = try Self.article("PredicateLanguage")
        let start = try #require(article.range(of: "### Functions"))
        let end = try #require(article.range(of: "### nil"))
        let rows = Self.rows(of: String(article[start.upperBound..<end.lowerBound]))
        var parsed = 0
        for cell in rows.map({ $0[0] }) + rows.compactMap({ $0.dropFirst().first }) {
            for match in cell.matches(of: /`([^`]*[(*+\/-][^`]*)`/) {
                let call = match.1.replacing("…", with: "a, b")
                #expect(throws: Never.self, "\(call)") { try DataStorePredicate("\(call) == nil") }
                parsed += 1
            }
        }
        #expect(parsed > 30)
    }
}
