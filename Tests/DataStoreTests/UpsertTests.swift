import Foundation
import JustPersist
import JustPersistConformance
import Testing

/// Items that are found by a unique attribute, or made.
@Suite struct UpsertTests {
    final class Shop: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Shop",
            attributes: [
                AttributeSchema(
                    "permit", kinds: [.string], isUnique: true, keyPath: \Shop.permit),
                AttributeSchema("stars", kinds: [.int], default: .int(3), keyPath: \Shop.stars),
                AttributeSchema("number", kinds: [.int], isUnique: true, keyPath: \Shop.number),
            ])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
        func setInitialValues() { stars = 3 }
        var permit: String? {
            get { optionalAttribute(at: 0) }
            set { setOptionalAttribute(newValue, at: 0) }
        }
        var stars: Int {
            get { attribute(at: 1, default: 3) }
            set { setAttribute(newValue, at: 1) }
        }
        var number: Int? {
            get { optionalAttribute(at: 2) }
            set { setOptionalAttribute(newValue, at: 2) }
        }
    }

    @Test func anItemIsMadeOnceAndFoundThen() throws {
        try Backend.memory.withStore { store in
            let first = try store.write { db in
                let shop = try db.upsert(Shop.self, \.permit, "40391")
                #expect(shop.stars == 3 && shop.permit == "40391")
                let again = try db.upsert(Shop.self, \.permit, "40391")
                #expect(again === shop)
                shop.stars = 5
                return shop.id
            }
            try store.write { db in
                let shop = try db.upsert(Shop.self, \.permit, "40391")
                #expect(shop.id == first && shop.stars == 5)
                try #expect(db.upsert(Shop.self, \.number, 7).id != first)
            }
            let count = try store.read { db in try db.count(Shop.self) }
            #expect(count == 2)
        }
    }

    @Test func manyComeInTheOrderOfTheirValues() throws {
        let values = (0..<5_000).map { "permit \($0)" }
        try Backend.memory.withStore { store in
            try store.write { db in
                let half = values.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
                for shop in try db.upsert(Shop.self, \.permit, values: half) { shop.stars = 1 }
            }
            try store.write { db in
                let all = try db.upsert(Shop.self, \.permit, values: values + values.prefix(5))
                #expect(all.map(\.permit) == values + values.prefix(5))
                #expect(all.filter { $0.stars == 1 }.count == values.count / 2 + 3)
            }
            let count = try store.read { db in try db.count(Shop.self) }
            #expect(count == values.count)
        }
    }

    @Test func valuesThatNoTwoItemsShareAreRefused() throws {
        try Backend.memory.withStore { store in
            try store.write { db in
                expectError(.invalidRequest) { _ = try db.upsert(Shop.self, \.permit, nil) }
                expectError(.invalidRequest) { _ = try db.upsert(Shop.self, \.stars, 3) }
                expectError(.unknownAttribute) { _ = try db.upsert("Nothing", "a", values: []) }
                try #expect(db.upsert(Shop.self, \.permit, values: []).isEmpty)
            }
            let count = try store.read { db in try db.count(Shop.self) }
            #expect(count == 0)
        }
    }

    @Test func typesWithoutAClassTakeAnyValue() throws {
        try Backend.memory.withStore { store in
            try store.write { db in
                try db.declare(
                    ItemSchema("Any", attributes: [AttributeSchema("key", isUnique: true)]))
                let values: [DataStoreValue] = [
                    .int(1), .string("1"), .double(1), .bool(true), .string("e\u{301}"),
                    .string("é"),
                ]
                let items = try db.upsert("Any", "key", values: values)
                #expect(items[0] === items[2] && items[0] === items[3])
                #expect(items[4] === items[5] && items[0] !== items[1])
                try #expect(db.count(DataStoreRequest(itemTypeKey: "Any")) == 3)
            }
        }
    }
}
