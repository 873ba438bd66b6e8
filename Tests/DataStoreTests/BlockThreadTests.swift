import Foundation
import JustPersist
import Testing

/// Clause 3: an accessor and the live items of a write block belong to the block's thread.
///
/// The compiler lets little of this pass in Swift 6, and much of it in Swift 5 mode.
@Suite struct BlockThreadTests {
    /// A block of code that gets past the compiler.
    // Sendable because it is let go of when all threads that run it have ended.
    private final class Smuggled: @unchecked Sendable {
        private var body: (() throws -> Void)?

        init(_ body: @escaping () throws -> Void) { self.body = body }

        func run() throws { try body?() }

        func letGo() { body = nil }
    }

    private static let wrongThread = DataStoreError.Code(rawValue: "wrongThread")

    /// Runs `body` on another thread, and waits for it.
    private func elsewhere(_ body: () throws -> Void) throws {
        try withoutActuallyEscaping(body) { body in
            let smuggled = Smuggled(body)
            defer { smuggled.letGo() }
            try onThreads(1) { _ in try smuggled.run() }
        }
    }

    /// Runs `body` on this thread and concurrently on others, and returns the codes of its errors there.
    private func onOtherThreads(_ body: () throws -> Void) -> Set<DataStoreError.Code?> {
        let outcomes = SharedList<DataStoreError.Code?>()
        withoutActuallyEscaping(body) { body in
            let smuggled = Smuggled(body)
            defer { smuggled.letGo() }
            let threads = (0..<2).map { _ in
                BackgroundBlock {
                    var code: DataStoreError.Code?
                    do { try smuggled.run() } catch { code = (error as? DataStoreError)?.code }
                    outcomes.append(code)
                }
            }
            try? smuggled.run()
            for thread in threads { try? thread.wait() }
        }
        return Set(outcomes.all)
    }

    /// Runs `body` on another thread only, and returns the code of its error.
    private func elsewhereAlone(_ body: () throws -> Void) -> DataStoreError.Code? {
        do { try elsewhere(body) } catch { return (error as? DataStoreError)?.code }
        return nil
    }

    @Test(arguments: Backend.memoryAndReference)
    func valuesOfADynamicItemAreRefusedOnAnotherThread(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.fill(["a"])
            try store.performRead { db in
                let item = try #require(
                    try db.dynamicItems(DataStoreRequest(itemTypeKey: "Restaurant")).first)
                try #expect(item.values()["name"] == .string("a"))
            }
            try store.performWrite { db in
                let item = try #require(
                    try db.dynamicItems(DataStoreRequest(itemTypeKey: "Restaurant")).first)
                #expect(elsewhereAlone { _ = try item.values() } == Self.wrongThread)
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func accessorIsRefusedOnAnotherThread(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.fill(["a"])
            let request = DataStoreRequest(itemType: Restaurant.self)
            try store.read { db in
                let calls: [(borrowing DataStoreReader) throws -> Void] = [
                    { _ = try $0.performFetch(request) }, { _ = try $0.performCount(request) },
                    { _ = try $0.performFetchItem(request.type, id: ItemID()) },
                    { try $0.performForEach(request) { _ in } }, { _ = try $0.schemas() },
                    { _ = try $0.performAggregate(request, DataStoreAggregation([.count])) },
                ]
                for call in calls {
                    #expect(elsewhereAlone { try call(db) } == Self.wrongThread)
                }
                try #expect(db.count(request) == 1)
            }
            let calls: [(borrowing DataStoreWriter) throws -> Void] = [
                { _ = try $0.performFetch(request) }, { _ = try $0.performCount(request) },
                { _ = try $0.performFetchItem(request.type, id: ItemID()) },
                { try $0.performForEach(request) { _ in } }, { _ = try $0.schemas() },
                { _ = try $0.performAggregate(request, DataStoreAggregation([.count])) },
                { _ = try $0.performCreate(request.type) },
                { _ = try $0.performInsert(Restaurant()) },
                { _ = try $0.performDelete(Restaurant()) },
                { try $0.performDeleteAll([request.type]) },
                { _ = try $0.performMutableVersion(of: Restaurant()) },
                { try $0.declare(RestaurantOwner.schema) },
            ]
            try store.write { db in
                try db.create(Restaurant.self).name = "b"
                for call in calls {
                    #expect(elsewhereAlone { try call(db) } == Self.wrongThread)
                }
            }
            try #expect(store.names() == ["a", "b"])
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func manyThreadsInOneWriteBlockDoNoHarm(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.fill(["a"])
            try store.write { db in
                let codes = onOtherThreads {
                    for _ in 0..<100 {
                        try db.create(Restaurant.self).name = "b"
                        _ = try db.items(Restaurant.self)
                    }
                }
                #expect(codes == [Self.wrongThread])
            }
            try #expect(store.names() == ["a"] + Array(repeating: "b", count: 100))
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func liveItemIsRefusedOnAnotherThread(_ backend: Backend) throws {
        let errors = ErrorLog()
        try backend.withStore(errors: errors) { store in
            try store.fill(["a"])
            expectError(Self.wrongThread) {
                try store.write { db in
                    let item = try #require(try db.first(Restaurant.self))
                    item.stars = 7
                    try elsewhere {
                        #expect(item.name == nil)
                        item.name = "b"
                        item.setValue("c", forKeyPath: "cuisine")
                    }
                    #expect(item.name == "a")
                    #expect(item.cuisine == nil)
                }
            }
            #expect(errors.codes == Array(repeating: Self.wrongThread, count: 3))
            #expect(errors.all.last?.attribute == "cuisine")
            store.writeSync { db in
                let item = db.firstMutableItem(
                    forRequest: DataStoreRequest(itemType: Restaurant.self))
                item?.setValue(8, forKeyPath: "stars")
                try? elsewhere { item?.setValue("d", forKeyPath: "name") }
            }
            #expect(errors.codes == Array(repeating: Self.wrongThread, count: 4))
            try store.read { db in try #expect(db.items(Restaurant.self).map(\.stars) == [0]) }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func itemsAreReadOnAnyThreadAfterTheirBlock(_ backend: Backend) throws {
        let errors = ErrorLog()
        try backend.withStore(errors: errors) { store in
            var items: [Restaurant] = []
            try store.performWrite { db in
                let item = try db.create(Restaurant.self)
                item.name = "a"
                items.append(item)
            }
            try store.performRead { db in
                items += try db.items(Restaurant.self)
                let found = items
                // Frozen from the start.
                try elsewhere { #expect(found.map(\.name) == ["a", "a"]) }
            }
            let found = items
            try elsewhere { #expect(found.map(\.name) == ["a", "a"]) }
        }
        #expect(errors.codes.isEmpty)
    }
}
