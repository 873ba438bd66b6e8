import Foundation
import Testing

@testable import JustPersist
@testable import JustPersistConformance

/// The table of the kit's checks has no empty cell, and each of its entries is true.
@Suite(.serialized) struct MatrixTests {
    private static let package = (0..<6).reduce(URL(filePath: #filePath)) { file, _ in
        file.deletingLastPathComponent()
    }

    /// The functions and properties that a protocol requires, as its source declares them.
    private static func requirements(in path: String) throws -> [String] {
        let file = package.appending(path: "Sources/JustPersist/\(path).swift")
        let text = try String(contentsOf: file, encoding: .utf8)
        let lines = text.split(separator: "\n").drop { !$0.hasPrefix("public protocol") }
        return lines.prefix { $0 != "}" }.compactMap { line in
            for keyword in ["    func ", "    var "] where line.hasPrefix(keyword) {
                return String(line.dropFirst(keyword.count).prefix { $0 != "(" && $0 != ":" })
            }
            return nil
        }
    }

    @Test func everyRequirementOfTheProtocolsHasARow() throws {
        let required = try [
            "Store/DataStore", "Accessors/DataStoreReadAccessor",
            "Accessors/DataStoreReadWriteAccessor",
        ]
        .flatMap(Self.requirements)
        #expect(required.count > 25)
        // `report(_:)` hands errors on, and the properties of a store change nothing. The last three are primitives of
        // items, of which `set` stands for several.
        #expect(
            Set(Matrix.rows.map(\.primitive))
                == Set(required).subtracting(["report", "capabilities", "errorHandler", "parent"])
                .union(["set", "withReader", "withWriter"]))
    }

    @Test func everyCellNamesAnExistingCheckOrGivesAReason() {
        for row in Matrix.rows {
            for circumstance in Circumstance.allCases {
                switch row.cells[circumstance] {
                case .checks(let ids):
                    #expect(!ids.isEmpty, "\(row.primitive), \(circumstance)")
                    for id in ids { #expect(Inventory.definition(id) != nil, "\(id)") }
                case .reason(let reason): #expect(reason.hasSuffix("."))
                case nil: Issue.record("\(row.primitive), \(circumstance): nothing")
                }
            }
        }
    }

    @Test func everyCheckCallsThePrimitivesThatItStandsFor() async {
        var primitives: [String: Set<String>] = [:]
        for row in Matrix.rows {
            for case .checks(let ids) in row.cells.values {
                for id in ids { primitives[id, default: []].insert(row.primitive) }
            }
        }
        for definition in Inventory.definitions {
            guard let expected = primitives[definition.id] else { continue }
            CountingStore.calls.withLock { $0 = [:] }
            let result = await CheckExecution(
                fixture: Mutant<CountingStore>.self, definition: definition, variant: .plain,
                options: ConformanceOptions(seed: 1), launcher: nil
            ).result()
            // Some are for stores that keep a log of changes, or none at all.
            if result.outcome == .notApplicable { continue }
            #expect(result.expectations > 0, "\(result)")
            let called = Set(CountingStore.calls.withLock { $0 }.keys)
            #expect(
                expected.isSubset(of: called),
                "\(definition.id) does not call \(expected.subtracting(called).sorted())")
        }
    }

    @Test func theArticleShowsTheTable() throws {
        let article = Self.package.appending(
            path: "Sources/JustPersistConformance/JustPersistConformance.docc/WhatIsExamined.md")
        let text = try String(contentsOf: article, encoding: .utf8)
        #expect(
            text.contains(Matrix.markdown),
            "The table in \(article.lastPathComponent) is not this one:\n\(Matrix.markdown)")
    }
}
