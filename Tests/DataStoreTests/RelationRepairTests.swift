import Foundation
import JustPersist
import JustPersistRecords
import Testing

/// Repairs of relationships that cannot all be made.
@Suite struct RelationRepairTests {
    /// Partners of which one side is unique.
    private final class Left: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Left", attributes: [],
            relationships: [RelationshipSchema("right", to: Right.self, inverse: "left")])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    private final class Right: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Right", attributes: [], indexes: [IndexSchema(["left"], isUnique: true)],
            relationships: [RelationshipSchema("left", to: Left.self)])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    @Test(arguments: Backend.ofRecords)
    func aPartnerIsNotRestoredAgainstUniqueness(_ backend: Backend) throws {
        try backend.withStore { store in
            let (left, second) = try store.write { db in
                let left = try db.create(Left.self)
                let rights = try (0..<2).map { _ in try db.create(Right.self) }
                left.setRelated("right", to: rights[0])
                try rights[0].backing.setValue(.null, forAttribute: "left")
                try rights[1].backing.setValue(
                    .reference(ItemReference(itemTypeKey: "Left", id: left.uniqueToken)),
                    forAttribute: "left")
                return (left.uniqueToken, rights[1].uniqueToken)
            }
            try #expect(store.verify().problems.count == 2)
            try #expect(store.repair().remaining.isEmpty)
            try store.read { db in
                let left = try #require(try db.item(Left.self, id: left))
                let right = left.related("right", as: Right.self)
                #expect(right?.uniqueToken == second)
                #expect(right?.related("left", as: Left.self)?.uniqueToken == left.uniqueToken)
            }
        }
    }

    /// Relates items to a new partner each, which does not refer back.
    private func relate(_ count: Int, _ db: borrowing DataStoreWriter) throws -> [ItemID] {
        try (0..<count).map { _ in
            let (left, right) = (try db.create(Left.self), try db.create(Right.self))
            left.setRelated("right", to: right)
            try right.backing.setValue(.null, forAttribute: "left")
            return left.uniqueToken
        }
    }

    private func expectPartners(_ items: [ItemID], _ store: any DataStore) throws {
        try store.read { db in
            for id in items {
                let left = try #require(try db.item(Left.self, id: id))
                let right = try #require(left.related("right", as: Right.self))
                #expect(right.related("left", as: Left.self)?.uniqueToken == id)
            }
        }
    }

    /// One that cannot have its partner back takes it from no other.
    @Test(arguments: Backend.ofRecords)
    func othersHaveTheirPartnersBackBesideUniqueness(_ backend: Backend) throws {
        try backend.withStore { store in
            let (others, own) = try store.write { db in
                var others = try relate(20, db)
                let own = try relate(1, db)
                others += try relate(20, db)
                let second = try db.create(Right.self)
                try second.backing.setValue(
                    .reference(ItemReference(itemTypeKey: "Left", id: own[0])),
                    forAttribute: "left")
                return (others, own)
            }
            try #expect(store.repair().remaining.isEmpty)
            try expectPartners(others + own, store)
            try expectSound(store)
        }
    }

    /// Neither side of a fault changes if an item that matters to it is damaged, and other faults are repaired.
    @Test(arguments: Backend.persistent)
    func aFaultBesideADamagedItemIsLeft(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            let (others, own, taker, right) = try store.write { db in
                let others = try relate(20, db)
                let (own, taker) = (try db.create(Left.self), try db.create(Left.self))
                let right = try db.create(Right.self)
                taker.setRelated("right", to: right)
                let reference = ItemReference(itemTypeKey: "Right", id: right.uniqueToken)
                try own.backing.setValue(.reference(reference), forAttribute: "right")
                return (
                    try others + relate(20, db), own.uniqueToken, taker.uniqueToken,
                    right.uniqueToken
                )
            }
            try store.close()
            try StoredBytes(backend, at: directory).damageRecord(of: taker)
            try store.open()
            let report = try store.repair()
            #expect(report.remaining.contains { $0.message.contains(own.description) })
            #expect(report.remaining.contains { $0.message.contains(taker.description) })
            try expectPartners(others, store)
            try store.read { db in
                let own = try #require(try db.item(Left.self, id: own))
                #expect(own.related("right", as: Right.self)?.uniqueToken == right)
            }
            try store.close()
        }
    }

    /// The others of a damaged item are not counted, and those of the rest are.
    @Test(arguments: Backend.persistent)
    func numbersAreJudgedBesideADamagedItem(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            let shelves = try store.write { db in
                try db.declare(ItemSchema("Label", attributes: []))
                try db.declare(
                    ItemSchema(
                        "Shelf", attributes: [],
                        relationships: [
                            RelationshipSchema("labels", to: "Label", isToMany: true, minimum: 1)
                        ]))
                return try (0..<2).map { _ in
                    let shelf = try db.create("Shelf")
                    ToMany<DynamicItem>(of: shelf, "labels").insert(try db.create("Label"))
                    return shelf.uniqueToken
                }
            }
            try store.write { db in
                for label in try db.dynamicItems(DataStoreRequest(itemTypeKey: "Label")) {
                    _ = try db.performDelete(label)
                }
            }
            try store.close()
            try StoredBytes(backend, at: directory).damageRecord(of: shelves[0])
            try store.open()
            let remaining = try store.repair().remaining
            let violations = remaining.filter { $0.code == .validationFailed }.map(\.message)
            #expect(violations.count == 1)
            #expect(violations.first?.contains("\(shelves[1]): it has 0 “labels”") == true)
            #expect(violations.first?.contains(shelves[0].description) == false)
            try store.close()
        }
    }

    /// Without the declaration of the other side, its rule is not known.
    @Test(arguments: Backend.persistent)
    func relationshipsOfATypeWhoseEntryIsDamagedAreLeft(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            let reference = try store.write { db in
                try db.declare(
                    ItemSchema(
                        "Shelf", attributes: [],
                        relationships: [
                            RelationshipSchema(
                                "books", to: "Book", isToMany: true, deleteRule: .noAction,
                                inverse: "shelf")
                        ]))
                try db.declare(
                    ItemSchema(
                        "Book", attributes: [],
                        relationships: [RelationshipSchema("shelf", to: "Shelf")]))
                let (shelf, book) = (try db.create("Shelf"), try db.create("Book"))
                book.setRelated("shelf", to: shelf)
                try db.delete(shelf)
                return try book.backing.value(forAttribute: "shelf")
            }
            try #expect(store.verify().problems.isEmpty)
            try store.close()
            let bytes = StoredBytes(backend, at: directory)
            let before = try bytes.entries(tag: StoredBytes.catalogTag)
            var after = before
            after[0].value[after[0].value.count / 2] ^= 0xFF
            try bytes.replace(before, with: after)
            try store.open()
            try #expect(!store.repair().remaining.isEmpty)
            try store.read { db in
                let books = try db.dynamicItems(DataStoreRequest(itemTypeKey: "Book"))
                try #expect(
                    books.map { try $0.backing.value(forAttribute: "shelf") } == [reference])
            }
            try store.close()
        }
    }
}
