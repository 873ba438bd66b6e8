import Foundation
import JustPersist
import JustPersistRecords
import Testing

/// Write blocks that wait for each other, and share a commit where the engine can.
@Suite struct GroupCommitTests {
    private struct Failure: Error {}

    /// Queues blocks while the store is held, so that they are there when it is let go.
    private func whileHeld(
        _ store: any DataStore, _ body: () throws -> Void
    ) rethrows {
        let isHeld = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        store.writeAsync { _ in
            isHeld.signal()
            mayEnd.wait()
        }
        isHeld.wait()
        defer { mayEnd.signal() }
        try body()
    }

    @Test(arguments: Backend.allCases)
    func typesOfABlockThatThrowsAreNotTakenOver(_ backend: Backend) throws {
        try backend.withStore { store in
            // Declares types by turns in blocks that throw and in blocks that do not, which give them the same numbers.
            let done = DispatchSemaphore(value: 0)
            whileHeld(store) {
                for number in 0..<40 {
                    store.writeAsync { db in
                        try db.declare(
                            ItemSchema(
                                "Type \(number / 2)",
                                attributes: [
                                    AttributeSchema("only \(number)"), AttributeSchema("number"),
                                ]))
                        let item = try db.create("Type \(number / 2)")
                        item["number"] = .int(Int64(number))
                        item["only \(number)"] = .string("value")
                        if number % 2 == 0 { throw Failure() }
                    } completion: { (_: Result<Void, any Error>) in
                        if number == 39 { done.signal() }
                    }
                }
            }
            done.wait()
            try store.read { db in
                for type in 0..<20 {
                    let items = try db.dynamicItems(
                        DataStoreRequest(itemTypeKey: "Type \(type)"))
                    try #require(items.count == 1)
                    #expect(items[0]["number"] == .int(Int64(2 * type + 1)))
                    #expect(items[0]["only \(2 * type + 1)"] == .string("value"))
                }
                try #expect(db.schemas().count == 20)
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func misuseInAGroupIsRefused(_ backend: Backend) throws {
        try backend.withStore { store in
            let codes = SharedList<DataStoreError.Code?>()
            let done = DispatchSemaphore(value: 0)
            whileHeld(store) {
                for number in 0..<20 {
                    store.writeAsync { db in
                        try db.create(Restaurant.self).stars = number
                        for misuse in [
                            { try store.writeSync { db in _ = try db.count(Restaurant.self) } },
                            { try store.close() }, { try store.destroy() },
                        ] as [() throws -> Void] {
                            do {
                                try misuse()
                                codes.append(nil)
                            } catch {
                                codes.append((error as? DataStoreError)?.code)
                            }
                        }
                    } completion: { (_: Result<Void, any Error>) in
                        if number == 19 { done.signal() }
                    }
                }
            }
            done.wait()
            let expected: [DataStoreError.Code?] = [.nestedWrite, .insideBlock, .insideBlock]
            #expect(codes.all == Array(repeating: expected, count: 20).flatMap { $0 })
            try #expect(store.names().count == 20)
        }
    }

    @Test(arguments: Backend.allCases)
    func itemsOfABlockThatThrewCanBeInsertedAgain(_ backend: Backend) throws {
        try backend.withStore { store in
            // Waits in a read block, as every other thread here writes.
            try onThreads(6) { thread in
                for round in 0..<10 {
                    let restaurant = Restaurant()
                    restaurant.stars = thread * 10 + round
                    do {
                        try store.write { db in
                            _ = db.insert(restaurant)
                            throw Failure()
                        }
                    } catch is Failure {}
                    try store.write { db in
                        let isInserted = db.insert(restaurant)
                        #expect(isInserted)
                        restaurant.name = "inserted"
                    }
                    #expect(restaurant.name == "inserted")
                }
            }
            let stars = try store.read { db in try db.items(Restaurant.self).map(\.stars).sorted() }
            #expect(stars == Array(0..<60))
        }
    }

    @Test(arguments: 0..<60)
    func aStorageErrorTakesAlongNobodyWhoWasToldOtherwise(after calls: Int) throws {
        let engine = InterceptedEngine()
        let store = RecordStore(engine: engine)
        try store.open()
        let committed = SharedList<Int>()
        let done = DispatchSemaphore(value: 0)
        whileHeld(store) {
            engine.fail(after: calls * 3)
            for number in 0..<30 {
                store.writeAsync { db in
                    try db.create(Restaurant.self).stars = number
                    if number % 3 == 0 { _ = try db.count(Restaurant.self) }
                } completion: { (result: Result<Void, any Error>) in
                    if case .success = result { committed.append(number) }
                    if number == 29 { done.signal() }
                }
            }
        }
        done.wait()
        let hasFailed = engine.hasFailed
        engine.fail(after: nil)
        try expectSound(store)
        let stars = try store.read { db in try db.items(Restaurant.self).map(\.stars) }
        #expect(stars == committed.all)
        #expect((committed.all.count < 30) == hasFailed)
        try store.fill(["after"])
        try store.close()
    }
}
