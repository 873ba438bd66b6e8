import Foundation
import JustPersist
import JustPersistConformance
import JustPersistMigration
import JustPersistRecords
import Testing

/// References to deleted items that an earlier delete rule has left.
@Suite struct FormerDeleteRuleTests {
    typealias Rule = RelationshipSchema.DeleteRule

    /// Declares shelves with books and labels, all with one rule; the labels have no inverse of their own.
    private func declare(_ rule: Rule, _ db: borrowing DataStoreWriter) throws {
        for schema in [
            ItemSchema(
                "Shelf", attributes: [AttributeSchema("name")],
                relationships: [
                    RelationshipSchema(
                        "books", to: "Book", isToMany: true, isOrdered: true, deleteRule: rule,
                        inverse: "shelf"),
                    RelationshipSchema(
                        "labels", to: "Label", isToMany: true, deleteRule: rule, inverse: "shelves"),
                ]),
            ItemSchema(
                "Book", attributes: [AttributeSchema("name")],
                relationships: [RelationshipSchema("shelf", to: "Shelf", deleteRule: rule)]),
            ItemSchema(
                "Label", attributes: [AttributeSchema("name")],
                relationships: [
                    RelationshipSchema("shelves", to: "Shelf", isToMany: true, deleteRule: rule)
                ]),
        ] {
            try db.declare(schema)
        }
    }

    /// A shelf with two books and a label is deleted under a rule, and the label of another shelf.
    private func fill(_ store: any DataStore, _ rule: Rule) throws {
        try store.write { db in
            try declare(rule, db)
            for _ in 0..<2 {
                let shelf = try db.create("Shelf")
                for _ in 0..<2 {
                    let book = try db.create("Book")
                    book.setRelated("shelf", to: shelf)
                }
                let label = try db.create("Label")
                ToMany<DynamicItem>(of: shelf, "labels").insert(label)
            }
            let shelves = try db.dynamicItems(DataStoreRequest(itemTypeKey: "Shelf"))
            let labels = try db.dynamicItems(DataStoreRequest(itemTypeKey: "Label"))
            try db.delete(shelves[0])
            try db.delete(labels[1])
        }
    }

    private func check(_ store: any DataStore) throws {
        try #expect(store.verify().problems.map(\.message) == [])
        try store.read { db in
            for (type, condition, count) in [
                ("Book", "shelf == nil", 2), ("Label", "shelves.@count == 0", 1),
                ("Shelf", "books.@count == 2 AND labels.@count == 0", 1),
            ] {
                let request = DataStoreRequest(itemTypeKey: type)
                request.predicate = try DataStorePredicate(condition)
                try #expect(db.dynamicItems(request).count == count, "\(type), \(condition)")
            }
        }
    }

    @Test(arguments: Backend.ofRecords, [Rule.nullify, .cascade, .deny])
    func referencesThatNoActionHasLeftAreNoDamageUnderAnotherRule(
        _ backend: Backend, _ rule: Rule
    ) throws {
        try backend.withStore { store in
            try fill(store, .noAction)
            try check(store)
            try store.write { db in try declare(rule, db) }
            try check(store)
            try #expect(store.repair().repaired.isEmpty)
            // The store keeps in mind that it was so, under further rules too, and so does a copy.
            try store.write { db in try declare(.nullify, db) }
            try check(store)
            try backend.withStore { copy in
                _ = try Migration(from: store, to: copy).run()
                try check(copy)
                try copy.write { db in try declare(.cascade, db) }
                try check(copy)
            }
            let reference = ReferenceDataStore()
            try reference.open()
            _ = try Migration(from: store, to: reference).run()
            try backend.withStore { copy in
                _ = try Migration(from: reference, to: copy).run()
                try check(copy)
            }
        }
    }

    @Test(arguments: Backend.persistent)
    func referencesThatNoActionHasLeftAreNoDamageAfterReopening(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            try fill(store, .noAction)
            try store.write { db in try declare(.nullify, db) }
            try store.close()
            try store.open()
            try check(store)
            // A deletion under the present rule leaves nothing.
            try store.write { db in
                let shelf = try #require(
                    try db.dynamicItems(DataStoreRequest(itemTypeKey: "Shelf")).first)
                try db.delete(shelf)
                for book in try db.dynamicItems(DataStoreRequest(itemTypeKey: "Book")).suffix(2) {
                    let value = try book.backing.value(forAttribute: "shelf")
                    #expect(value == .null)
                }
            }
            try #expect(store.verify().problems.isEmpty)
            try store.close()
        }
    }

    @Test(arguments: Backend.ofRecords)
    func withoutAFormerRuleAReferenceToADeletedItemIsDamage(_ backend: Backend) throws {
        try backend.withStore { store in
            try fill(store, .nullify)
            try store.write { db in
                try declare(.cascade, db)
                let shelf = try #require(
                    try db.dynamicItems(DataStoreRequest(itemTypeKey: "Shelf")).first)
                _ = try db.performDelete(shelf)
            }
            // Of the books, and of their places in the order.
            try #expect(store.verify().problems.count == 2)
            _ = try store.repair()
        }
    }
}
