import Foundation
import JustPersist
import JustPersistRecords
import Testing

/// Stores over rows: what the framework below is given, and what becomes of rows that it changes.
@Suite struct RowEngineTests {
    private typealias Store = RecordStore<TableEngine>

    private func withStore(_ body: (Store) throws -> Void) throws {
        let store = RecordStore(engine: TableEngine())
        try store.open()
        try body(store)
        try store.close()
    }

    @Test func aRowHasItsValuesByTheNumbersOfTheAttributes() throws {
        try withStore { store in
            let id = try store.write { db in
                let item = try db.create(Sample.self)
                item[0] = .string("a")
                item[2] = .null
                item[3] = .array([.int(1), .reference(item.reference)])
                return item.id
            }
            let number = try #require(store.engine.tables.withLock { $0.rows.keys.first })
            let rows = store.engine.tables.withLock { $0.rows }
            #expect(
                rows == [
                    number: [
                        id: ItemRow(
                            id: id,
                            values: [
                                0: .string("a"), 2: .null,
                                3: .array([
                                    .int(1),
                                    .reference(ItemReference(itemTypeKey: "\(number)", id: id)),
                                ]),
                            ])
                    ]
                ])
            try store.read { db in
                let item = try #require(try db.item(Sample.self, id: id))
                #expect(item[3] == .array([.int(1), .reference(item.reference)]))
            }
        }
    }

    @Test func aRenamedTypeAndAttributeChangeNoRow() throws {
        try withStore { store in
            let old = ItemSchema("Meal", attributes: [AttributeSchema("title")])
            try store.write { db in
                try db.declare(old)
                let item = try #require(
                    try db.performCreate(ItemType(dynamic: "Meal")) as? DynamicItem)
                item["title"] = .reference(item.reference)
            }
            let rows = store.engine.tables.withLock { $0.rows }
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "Dish", formerTypeKeys: ["Meal"],
                        attributes: [AttributeSchema("name", originalName: "title")]))
            }
            #expect(store.engine.tables.withLock { $0.rows } == rows)
            try store.read { db in
                let dish = try #require(
                    try db.dynamicItems(DataStoreRequest(itemTypeKey: "Dish")).first)
                #expect(dish["name"] == .reference(dish.reference))
                #expect(dish.reference.itemTypeKey == "Dish")
            }
        }
    }

    @Test func aRowThatCannotBeReadHidesNoOther() throws {
        try withStore { store in
            try store.fill(["a", "b", "c"])
            let ids = try store.read { db in try db.items(Restaurant.self).map(\.id) }
            store.engine.tables.withLock { tables in
                for type in tables.rows.keys {
                    tables.rows[type]?[ids[1]] = ItemRow(id: ids[1], values: nil)
                }
            }
            let error = expectError(.corrupted) { _ = try store.names() }
            #expect(error?.message.contains("\(ids[1])") == true)
            let report = try store.verify()
            #expect(report.problems.map(\.code) == [.corrupted])
            #expect(report.itemCounts == ["Restaurant": 2])
            try store.write { db in
                try #expect(db.item(Restaurant.self, id: ids[2])?.name == "c")
                try #expect(db.delete(Restaurant.self, id: ids[1]))
                try #expect(db.items(Restaurant.self).map(\.name) == ["a", "c"])
                try db.deleteAll(Restaurant.self)
            }
            try #expect(store.verify().problems.isEmpty)
        }
    }

    @Test func rowsThatAppearOrVanishBelowTheStoreAreNoticed() throws {
        try withStore { store in
            try store.fill(["a", "b"])
            store.engine.tables.withLock { tables in
                for type in tables.rows.keys {
                    if let id = tables.rows[type]?.keys.first { tables.rows[type]?[id] = nil }
                }
            }
            expectError(.corrupted) { _ = try store.names() }
            try #expect(store.verify().problems.map(\.code) == [.corrupted])
        }
    }

    @Test(arguments: 0..<8)
    func aDamagedCatalogIsAnError(_ seed: Int) throws {
        try withStore { store in
            try store.fill(["a"])
            store.engine.tables.withLock { tables in
                let bytes = tables.catalog ?? []
                tables.catalog = Array(bytes.prefix(bytes.count * seed / 8))
            }
            expectError(.corrupted) { _ = try store.names() }
            try store.close()
            expectError(.corrupted) { try store.open() }
        }
    }

    @Test(arguments: [-5, 65_536, Int.max])
    func aNumberThatNoAttributeCanHaveIsDamage(_ number: Int) throws {
        try withStore { store in
            try store.fill(["a"])
            let id = try store.read { db in try #require(try db.first(Restaurant.self)).id }
            store.engine.tables.withLock { tables in
                for type in tables.rows.keys {
                    tables.rows[type]?[id] = ItemRow(id: id, values: [number: .int(1)])
                }
            }
            expectError(.corrupted) { _ = try store.names() }
        }
    }

    @Test func rowsWithoutACatalogAreNoNewStore() throws {
        try withStore { store in
            try store.fill(["a"])
            try store.close()
            store.engine.tables.withLock { $0.catalog = nil }
            expectError(.notAStore) { try store.open() }
            #expect(store.engine.tables.withLock { $0.catalog == nil })
        }
    }

    @Test func pagesAndWalksInBothDirectionsMeetEachRow() throws {
        try withStore { store in
            let names = (0..<700).map { "\($0)" }
            try store.fill(names)
            try store.read { db in
                var walked: [String] = []
                try db.forEach(Restaurant.self) { walked.append($0.name ?? "") }
                #expect(walked == names)
                walked = []
                try db.forEach(Restaurant.self, sortedBy: .descending("uniqueToken")) {
                    walked.append($0.name ?? "")
                }
                #expect(walked == names.reversed())
                let page = try db.items(
                    Restaurant.self, sortedBy: .descending("uniqueToken"), offset: 10, limit: 2)
                #expect(page.map(\.name) == ["689", "688"])
            }
            try store.write { db in
                try db.forEach(Restaurant.self) { item in try db.delete(item) }
                try #expect(db.count(Restaurant.self) == 0)
            }
            #expect(store.engine.tables.withLock { $0.rows.values.allSatisfy { $0.isEmpty } })
        }
    }
}
