import Foundation
import JustPersist
import JustPersistConformance
import JustPersistRecords
import Testing

/// The calls of a store over a server take few round trips.
struct RoundTripTests {
    private let engine = Self.engine()
    private let store: RecordStore<EnvelopeEngine>
    private let ids: [ItemID]

    private static let count = 10_000

    /// An engine without other limits.
    private static func engine(answerBytes: Int = 4 << 20) -> EnvelopeEngine {
        let limits = EnvelopeServer.Limits(
            transactionBytes: .max, valueBytes: .max, seconds: .infinity, answerBytes: answerBytes)
        return EnvelopeEngine(EnvelopeServer(limits: limits))
    }

    init() throws {
        store = RecordStore(engine: engine)
        try store.open()
        try store.write { db in
            try db.declare(
                ItemSchema(
                    "Dish",
                    attributes: [
                        AttributeSchema("number"), AttributeSchema("price"),
                        AttributeSchema("name"),
                    ],
                    indexes: [IndexSchema(["number"], isUnique: true), IndexSchema(["price"])]))
            try db.declare(ItemSchema("Plain", attributes: [AttributeSchema("number")]))
        }
        ids = try store.write { db in
            try (0..<Self.count).map { number in
                let item = try db.create("Dish")
                item["number"] = .int(Int64(number))
                item["price"] = .int(Int64(number % 10))
                return item.uniqueToken
            }
        }
    }

    private func request(
        _ format: String = "", sort: String? = nil, limit: Int? = nil
    ) throws -> DataStoreRequest {
        let request = DataStoreRequest(itemTypeKey: "Dish")
        if !format.isEmpty { request.predicate = try DataStorePredicate(format) }
        if let sort { request.sortDescriptors = [.ascending(sort)] }
        request.limit = limit
        return request
    }

    @Test func readsTakeFewRoundTrips() throws {
        func trips(_ body: @escaping (borrowing DataStoreReader) throws -> Void) throws -> Int {
            try engine.trips { try store.performRead(body) }
        }
        // The first read of a thread reads the catalog.
        try store.performRead { _ = try $0.count(request()) }
        let byID = try trips { _ = try $0.performFetchItem(ItemType(dynamic: "Dish"), id: ids[17]) }
        let list = try trips { db in
            let request = try request()
            request.predicate = try DataStorePredicate(
                "uniqueToken IN %@", arguments: [ids.prefix(1_000).map(\.description)])
            let count = try db.performFetch(request).count
            #expect(count == 1_000)
        }
        let all = try trips { db in
            let count = try db.performFetch(request()).count
            #expect(count == Self.count)
        }
        let counted = try trips { db in
            let count = try db.performCount(request())
            #expect(count == Self.count)
        }
        let indexed = try trips { db in
            let count = try db.performFetch(request("price == 3")).count
            #expect(count == 1_000)
        }
        let sorted = try trips { db in
            let count = try db.performFetch(request(sort: "number", limit: 100)).count
            #expect(count == 100)
        }
        print(
            """
            Round trips: by id \(byID), 1,000 ids \(list), all of \(Self.count) \(all), count \(counted), 1,000 by an index \
            \(indexed), the first 100 by an index \(sorted)
            """)
        #expect(byID <= 2)
        #expect(list <= 2)
        // One of them reads the stored number of items, with which the number found is compared.
        #expect(all <= 4 + Self.count / 4_096)
        #expect(counted <= 2)
        #expect(indexed <= 6)
        #expect(sorted <= 6)
    }

    @Test func writesTakeFewRoundTrips() throws {
        func trips(_ body: @escaping (borrowing DataStoreWriter) throws -> Void) throws -> Int {
            try engine.trips { try store.performWrite(body) }
        }
        let nothing = try trips { _ in }
        let plain = try trips { db in try db.create("Plain")["number"] = .int(1) }
        let one = try trips { db in try db.create("Dish")["number"] = .int(-1) }
        let many = try trips { db in
            for number in 0..<10_000 {
                try db.create("Dish")["number"] = .int(Int64(100_000 + number))
            }
        }
        let updated = try trips { db in
            for item in try db.dynamicItems(request("number < 1000")) { item["price"] = .int(77) }
        }
        let deleted = try trips { db in
            for item in try db.dynamicItems(request("number >= 1000 AND number < 2000")) {
                try db.delete(item)
            }
        }
        print(
            """
            Round trips of write blocks: without changes \(nothing), one item \(plain), one with a unique index \(one), \
            10,000 with it \(many), 1,000 found and changed \(updated), 1,000 found and deleted \(deleted)
            """)
        #expect(nothing == 1)
        #expect(plain <= 3)
        #expect(one <= 3)
        #expect(many <= 5)
        #expect(updated <= 9)
        #expect(deleted <= 9)
    }

    /// Answers with room for few records are asked for again and again, but not once for each record.
    @Test func recordsThatNeedSeveralAnswersAreReadTogether() throws {
        let engine = Self.engine(answerBytes: 64 << 10)
        let store = RecordStore(engine: engine)
        try store.open()
        let text = String(repeating: "x", count: 1_000)
        let ids = try store.write { db in
            try db.declare(
                ItemSchema(
                    "Note",
                    attributes: [
                        AttributeSchema("number", isIndexed: true), AttributeSchema("text"),
                    ]))
            return try (0..<2_000).map { number in
                let item = try db.create("Note")
                item["number"] = .int(Int64(number))
                item["text"] = .string(text)
                return item.uniqueToken
            }
        }
        let request = DataStoreRequest(itemTypeKey: "Note")
        request.predicate = try DataStorePredicate(
            "uniqueToken IN %@", arguments: [ids.shuffled().map(\.description)])
        let listed = try engine.trips {
            try store.performRead { db in
                let texts = try db.dynamicItems(request).map { $0["text"] }
                #expect(texts == Array(repeating: .string(text), count: 2_000))
            }
        }
        let changed = try engine.trips {
            try store.write { db in
                for item in try db.dynamicItems(DataStoreRequest(itemTypeKey: "Note")) {
                    item["number"] = .int(-1)
                }
            }
        }
        print(
            "Round trips of 2,000 records of 1,000 bytes in answers of 64 KiB: listed \(listed), changed \(changed)"
        )
        #expect(listed <= 80)
        #expect(changed <= 120)
        request.predicate = try DataStorePredicate("number == -1")
        #expect(try store.read { try $0.count(request) } == 2_000)
    }

    /// What is found does not depend on the pages in which it comes.
    @Test func scansThatAreInterruptedAndContinuedFindEverything() throws {
        var found: [ItemID] = []
        try store.performRead { db in
            try db.performForEach(request()) { found.append($0.uniqueToken) }
        }
        #expect(found == ids)
        let first = try store.read { db in
            try db.dynamicItems(request(sort: "price", limit: 5)).map(\.uniqueToken)
        }
        #expect(
            first == Array(ids.enumerated().filter { $0.offset % 10 == 0 }.map(\.element).prefix(5))
        )
    }
}

extension EnvelopeEngine {
    /// The number of round trips that `body` takes.
    fileprivate func trips(of body: () throws -> Void) rethrows -> Int {
        let before = server.counts.roundTrips
        try body()
        return server.counts.roundTrips - before
    }
}
