import Foundation
import JustPersist
import JustPersistMigration
import Testing

/// What is found between two stores.
@Suite struct StoreComparisonTests {
    private func differences(
        _ first: any DataStore, _ second: any DataStore
    ) throws -> (StoreComparison.Summary, [String]) {
        var found: [String] = []
        let summary = try StoreComparison(first, second).run { found.append("\($0)") }
        return (summary, found)
    }

    private func store() throws -> any DataStore {
        let store = try memoryStore()
        try store.write { db in
            try db.declare(
                ItemSchema("T", attributes: [AttributeSchema("n"), AttributeSchema("v")]))
        }
        return store
    }

    private func add(
        _ id: UInt64, _ values: [String: DataStoreValue], to store: any DataStore
    ) throws {
        try store.write { db in
            _ = try db.performInsert(
                DynamicItem("T", id: ItemID(high: 1, low: id), values: values))
        }
    }

    @Test func equalStoresHaveNoDifference() throws {
        let (first, second) = (try store(), try store())
        for (number, id) in [1, 2, 3].enumerated() {
            try add(UInt64(id), ["n": .int(Int64(number)), "v": .double(.nan)], to: first)
        }
        // In another order, and with a null in place of nothing.
        for (number, id) in [1, 2, 3].enumerated().reversed() {
            try add(UInt64(id), ["v": .double(.nan), "n": .int(Int64(number))], to: second)
        }
        let (summary, found) = try differences(first, second)
        #expect(found.isEmpty)
        #expect(summary.isSame)
        #expect(summary.same == 3)
    }

    /// Classes name an inverse on one side, imports on both.
    @Test func anInverseOnOneSideIsTheInverseOfBoth() throws {
        func store(_ inverse: String?) throws -> any DataStore {
            let store = try memoryStore()
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "A", attributes: [],
                        relationships: [RelationshipSchema("b", to: "B", inverse: "a")]))
                try db.declare(
                    ItemSchema(
                        "B", attributes: [],
                        relationships: [RelationshipSchema("a", to: "A", inverse: inverse)]))
            }
            return store
        }
        let (summary, found) = try differences(try store(nil), try store("b"))
        #expect(summary.isSame && found.isEmpty, "\(found)")
    }

    @Test func emptyStoresAreEqual() throws {
        let (summary, found) = try differences(try memoryStore(), try memoryStore())
        #expect(summary.isSame)
        #expect(summary.same == 0)
        #expect(found.isEmpty)
    }

    @Test func eachDifferenceIsNamed() throws {
        let (first, second) = (try store(), try store())
        try add(1, ["n": .int(1)], to: first)
        try add(2, ["n": .int(2)], to: second)
        try add(3, ["n": .int(3), "v": .double(0)], to: first)
        try add(3, ["n": .double(3), "v": .double(-0.0)], to: second)
        try add(4, ["v": .null], to: first)
        try add(4, [:], to: second)
        try first.write { db in try db.declare(ItemSchema("Only", attributes: [])) }
        try second.write { db in
            try db.declare(ItemSchema("T", attributes: [AttributeSchema("more")]))
        }
        var all: [StoreDifference] = []
        let summary = try StoreComparison(first, second).run { all.append($0) }
        let id = { (low: UInt64) in ItemID(high: 1, low: low) }
        #expect(
            all.map(\.description) == [
                "type Only is in the first store only", "type T is declared in different ways",
                "T \(id(1)) is in the first store only", "T \(id(3)) differs in n, v",
                "T \(id(2)) is in the second store only",
            ])
        #expect(summary.differentTypes == 2)
        #expect(summary.onlyInFirst == 1)
        #expect(summary.onlyInSecond == 1)
        #expect(summary.different == 1)
        #expect(summary.same == 1)
        #expect(!summary.isSame)
        guard case .values(_, let values) = all[3] else {
            Issue.record("no values")
            return
        }
        #expect(values.map(\.attribute) == ["n", "v"])
        #expect(values[0].first == .int(3))
        #expect(values[0].second.kind == .double)
    }

    @Test func onlyTheTypesThatAreNamedAreCompared() throws {
        let (first, second) = (try store(), try store())
        try add(1, [:], to: first)
        try first.write { db in try db.declare(ItemSchema("Other", attributes: [])) }
        try second.write { db in try db.declare(ItemSchema("Other", attributes: [])) }
        let summary = try StoreComparison(first, second, types: ["Other"]).run()
        #expect(summary.isSame)
        #expect(throws: DataStoreError.self) {
            try StoreComparison(first, second, types: ["Typo"]).run()
        }
    }

    @Test func whatTheBodyThrowsEndsTheComparison() throws {
        struct Enough: Error {}
        let (first, second) = (try store(), try store())
        for id in 1...9 { try add(UInt64(id), [:], to: first) }
        var count = 0
        #expect(throws: Enough.self) {
            try StoreComparison(first, second).run { _ in
                count += 1
                if count == 4 { throw Enough() }
            }
        }
        #expect(count == 4)
    }

    @Test func equalItemsAreComparedWithProgressAndCanBeInterrupted() throws {
        struct Enough: Error {}
        let (first, second) = (try store(), try store())
        for store in [first, second] {
            try store.write { db in
                for id in 1...2_500 {
                    _ = try db.performInsert(DynamicItem("T", id: ItemID(high: 1, low: UInt64(id))))
                }
            }
        }
        var seen: [Int] = []
        let summary = try StoreComparison(first, second).run(progress: { progress in
            #expect(progress.totalItems == 2_500)
            seen.append(progress.items)
        })
        #expect(summary.same == 2_500)
        #expect(seen == [1_000, 2_000])
        #expect(throws: Enough.self) {
            try StoreComparison(first, second).run(progress: { _ in throw Enough() })
        }
    }

    /// Also in references, and with an attribute that was renamed.
    @Test(arguments: [false, true])
    func aRenamedTypeIsComparedOnce(isInFirst: Bool) throws {
        let (first, second) = (try store(), try store())
        for store in [first, second] {
            for id in 1...3 { try add(UInt64(id), ["n": .int(Int64(id))], to: store) }
            let reference = ItemReference(itemTypeKey: "T", id: ItemID(high: 1, low: 1))
            try add(4, ["v": .array([.reference(reference)])], to: store)
        }
        try add(5, [:], to: first)
        try add(6, [:], to: second)
        let renaming = ItemSchema(
            "Thing", formerTypeKeys: ["T"],
            attributes: [AttributeSchema("number", originalName: "n"), AttributeSchema("v")])
        try (isInFirst ? first : second).write { db in try db.declare(renaming) }
        let (summary, found) = try differences(first, second)
        let (key, other) = isInFirst ? ("Thing", "T") : ("T", "Thing")
        #expect(
            found == [
                "type \(key) is called \(other) in the second store",
                "\(key) \(ItemID(high: 1, low: 5)) is in the first store only",
                "\(other) \(ItemID(high: 1, low: 6)) is in the second store only",
            ])
        #expect(summary.differentTypes == 1)
        #expect(summary.same == 4)
        #expect(summary.onlyInFirst == 1)
        #expect(summary.onlyInSecond == 1)
        for name in ["T", "Thing"] {
            #expect(try StoreComparison(first, second, types: [name]).run() == summary)
        }
    }
}
