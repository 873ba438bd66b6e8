import Foundation
import JustPersist
import JustPersistRecords
import Testing

/// What a later release has put into a store: it is kept, and what it forbids is not done.
@Suite struct LaterReleaseTests {
    /// A field of a number that no release has used yet.
    private static func field(_ flags: UInt8, _ text: String = "later") -> [UInt8] {
        [0x3F | flags, UInt8(text.utf8.count)] + Array(text.utf8)
    }

    private static let forbidsWriting: UInt8 = 0x40
    private static let forbidsReading: UInt8 = 0x80

    /// A store with a type of each of two classes, to whose first entry with a tag `field` is added.
    private func store(
        adding field: [UInt8], tag: UInt8
    ) throws -> (SortedArrayEngine, RecordStore<SortedArrayEngine>) {
        let engine = SortedArrayEngine()
        let store = RecordStore(engine: engine)
        try store.open()
        try store.fill(["a", "b"])
        try store.write { db in try db.create(RestaurantOwner.self).name = "owner" }
        try store.close()
        var entries = engine.entries
        let index = try #require(entries.firstIndex { $0.key[0] == tag })
        let isHeader = tag == StoredBytes.headerTag
        let end = entries[index].value.count - (isHeader ? 8 : 0)
        entries[index].value.insert(contentsOf: field, at: end)
        Checksum.correct(&entries[index])
        engine.entries = entries
        return (engine, store)
    }

    private func contains(_ engine: SortedArrayEngine, _ field: [UInt8], tag: UInt8) -> Bool {
        engine.entries.contains { $0.key[0] == tag && Data($0.value).range(of: Data(field)) != nil }
    }

    @Test(arguments: [StoredBytes.headerTag, StoredBytes.catalogTag])
    func unknownFieldsAreKeptByteForByte(_ tag: UInt8) throws {
        let field = Self.field(0)
        let (engine, store) = try store(adding: field, tag: tag)
        try store.open()
        // Changes the header, and the entry of the type by a kind that its attribute has not had.
        try store.write { db in
            let item = try db.create(Restaurant.self)
            item.name = "c"
            item.value = .int(1)
        }
        try store.write { db in
            try db.declare(ItemSchema("Restaurant", attributes: [AttributeSchema("added")]))
        }
        #expect(contains(engine, field, tag: tag))
        try store.close()
        try store.open()
        try #expect(
            store.read { db in try db.items(Restaurant.self).map(\.name) } == ["a", "b", "c"])
        try #expect(store.verify().problems.isEmpty)
        #expect(contains(engine, field, tag: tag))
        try store.close()
    }

    @Test func aTypeThatMustNotBeWrittenCanBeRead() throws {
        let (engine, store) = try store(
            adding: Self.field(Self.forbidsWriting), tag: StoredBytes.catalogTag)
        try store.open()
        let before = engine.entries.map(\.value)
        try store.read { db in
            try #expect(db.items(Restaurant.self).map(\.name) == ["a", "b"])
            try #expect(db.count(Restaurant.self, where: DataStorePredicate("name == 'a'")) == 1)
        }
        for change in [
            { db in _ = try db.create(Restaurant.self) },
            { db in try #require(try db.first(Restaurant.self)).name = "c" },
            { db in try db.delete(try #require(try db.first(Restaurant.self))) },
            { db in _ = try db.performDeleteAll([ItemType(Restaurant.self)]) },
            { db in _ = try db.performInsert(Restaurant()) },
            { db in try db.declare(Restaurant.schema) },
        ] as [(borrowing DataStoreWriter) throws -> Void] {
            expectError(.newerFormat) { try store.write { db in try change(db) } }
        }
        #expect(engine.entries.map(\.value) == before)
        try store.write { db in try db.create(RestaurantOwner.self).name = "another" }
        try #expect(store.read { db in try db.count(RestaurantOwner.self) } == 2)
        try store.close()
    }

    @Test func aTypeThatMustNotBeReadKeepsTheOthersUsable() throws {
        let (_, store) = try store(
            adding: Self.field(Self.forbidsReading), tag: StoredBytes.catalogTag)
        try store.open()
        try store.read { db in
            expectError(.newerFormat) { _ = try db.items(Restaurant.self) }
            expectError(.newerFormat) { _ = try db.count(Restaurant.self) }
            expectError(.newerFormat) { _ = try db.item(Restaurant.self, id: ItemID()) }
            try #expect(db.count(RestaurantOwner.self) == 1)
        }
        expectError(.newerFormat) { try store.write { db in _ = try db.create(Restaurant.self) } }
        try store.close()
    }

    @Test func aStoreThatMustNotBeWrittenCanBeRead() throws {
        let (engine, store) = try store(
            adding: Self.field(Self.forbidsWriting), tag: StoredBytes.headerTag)
        let before = engine.entries.map(\.value)
        try store.open()
        try #expect(store.read { db in try db.count(Restaurant.self) } == 2)
        expectError(.newerFormat) { try store.write { db in _ = try db.create(Restaurant.self) } }
        #expect(engine.entries.map(\.value) == before)
        try store.close()
    }

    @Test func aStoreThatMustNotBeReadIsNotOpened() throws {
        let (engine, store) = try store(
            adding: Self.field(Self.forbidsReading), tag: StoredBytes.headerTag)
        let before = engine.entries.map(\.value)
        expectError(.newerFormat) { try store.open() }
        #expect(engine.entries.map(\.value) == before)
    }

    @Test func fieldsThatEndBehindTheirEntryAreDamage() throws {
        let (_, store) = try store(adding: [0x3F, 200, 1], tag: StoredBytes.catalogTag)
        try store.open()
        store.read { db in
            expectError(.corrupted) { _ = try db.items(Restaurant.self) }
            return
        }
        try store.close()
    }
}
