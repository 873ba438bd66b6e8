import Foundation
import Testing

@testable import JustPersist
@testable import JustPersistConformance

/// The table of what the kit examines has no hole, and says what is so.
@Suite(.serialized) struct MatrixTests {
    @Test func everyPrimitiveHasARow() {
        // What both accessor protocols and the store require, but for report(_:) and constants.
        let accessors = [
            "performFetch", "performCount", "performFetchItem", "performForEach", "schemas",
            "performCreate", "performInsert", "performDelete", "performDeleteAll",
            "performMutableVersion", "declare",
        ]
        let stores = [
            "open", "close", "destroy", "performRead", "performWrite", "enqueueWrite", "makeChild",
            "performMerge", "verify",
        ]
        #expect(Set(Matrix.rows.map(\.primitive)) == Set(accessors + stores + ["set"]))
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
            #expect(result.expectations > 0, "\(result)")
            let called = Set(CountingStore.calls.withLock { $0 }.keys)
            #expect(
                expected.isSubset(of: called),
                "\(definition.id) does not call \(expected.subtracting(called).sorted())")
        }
    }

    @Test func theArticleShowsTheTable() throws {
        let package = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let article = package.appending(
            path: "Sources/JustPersistConformance/JustPersistConformance.docc/WhatIsExamined.md")
        let text = try String(contentsOf: article, encoding: .utf8)
        #expect(
            text.contains(Matrix.markdown),
            "The table in \(article.lastPathComponent) is not this one:\n\(Matrix.markdown)")
    }
}
