import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistRecords
import Testing

/// Values of items as a sequence over one snapshot.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ItemStreamTests {
    private func fill(_ store: any DataStore, _ count: Int) async throws {
        try await store.write { db in
            for number in 0..<count {
                let item = try db.create(Restaurant.self)
                item.name = "restaurant \(number)"
                item.stars = number
            }
        }
    }

    /// Waits until something is so, for no longer than the test may take.
    private func eventually(_ isSo: () throws -> Bool) async throws {
        while try !isSo() { try await Task.sleep(for: .milliseconds(2)) }
    }

    private func collect<Value>(_ stream: ItemStream<Value>) async throws -> [Value] {
        var values: [Value] = []
        for try await value in stream { values.append(value) }
        return values
    }

    @Test(arguments: Backend.allCases)
    func aStreamGivesWhatTheRequestAsksFor(_ backend: Backend) async throws {
        try await backend.withStore { store in
            try await #expect(collect(store.values(of: Restaurant.self) { $0.stars }) == [])
            try await fill(store, 1_000)
            try await #expect(
                collect(store.values(of: Restaurant.self) { $0.stars }) == Array(0..<1_000))
            try await #expect(
                collect(
                    store.values(
                        of: Restaurant.self, where: \.stars < 900, sortedBy: .descending(\.stars),
                        offset: 10, limit: 600
                    ) { $0.stars })
                    == Array((290..<890).reversed()))
            try await #expect(
                collect(
                    store.values(of: Restaurant.self, where: #Predicate { $0.stars > 997 }) {
                        $0.name
                    }) == ["restaurant 998", "restaurant 999"])
            let request = DataStoreRequest(itemTypeKey: "Restaurant")
            request.predicate = try DataStorePredicate("stars = 5")
            let stream = store.values(request) { $0.uniqueToken }
            // The request as it was.
            request.predicate = nil
            try await #expect(collect(stream).count == 1)
            let unknown = store.values(of: Restaurant.self, sortedBy: .ascending("star")) {
                $0.stars
            }
            let error = await #expect(throws: DataStoreError.self) {
                _ = try await collect(unknown)
            }
            #expect(error?.code == .unknownAttribute)
            try await eventually { StreamThread.count == 0 }
        }
    }

    @Test(arguments: Backend.allCases)
    func eachIterationHasItsSnapshot(_ backend: Backend) async throws {
        try await backend.withStore { store in
            try await fill(store, 1_000)
            let stream = store.values(of: Restaurant.self) { $0.stars }
            var first = stream.makeAsyncIterator()
            try await #expect(first.next() == 0)
            try await store.write { db in
                try db.delete(Restaurant.self, where: \.stars > 499)
                try db.update(Restaurant.self) { $0.stars += 10_000 }
            }
            var second = stream.makeAsyncIterator()
            try await #expect(second.next() == 10_000)
            try await store.write { db in try db.deleteAll(Restaurant.self) }
            try await #expect(collect(stream) == [])
            var rest: [[Int]] = [[], []]
            while let value = try await first.next() { rest[0].append(value) }
            while let value = try await second.next() { rest[1].append(value) }
            #expect(rest == [Array(1..<1_000), Array(10_001..<10_500)])
            try await #expect(first.next() == nil)
        }
    }

    @Test(arguments: Backend.allCases)
    func theThreadWaitsForTheLoop(_ backend: Backend) async throws {
        try await backend.withStore { store in
            try await fill(store, 3_000)
            let made = Locked(0)
            var values = 0
            let stream = store.values(of: Restaurant.self) { item in
                made.withLock { $0 += 1 }
                return item.stars
            }
            for try await _ in stream {
                values += 1
                if values.isMultiple(of: 500) { try await Task.sleep(for: .milliseconds(20)) }
                #expect(made.withLock { $0 } <= values + 3 * 256)
            }
            #expect(values == 3_000)
        }
    }

    @Test(arguments: Backend.allCases)
    func leavingTheLoopEndsTheBlock(_ backend: Backend) async throws {
        try await backend.withStore { store in
            try await fill(store, 600)
            for round in 0..<100 {
                for try await value in store.values(of: Restaurant.self, { $0.stars })
                where value == round {
                    break
                }
            }
            try await eventually { StreamThread.count == 0 }
            struct Wrong: Error {}
            var values: [Int] = []
            await #expect(throws: Wrong.self) {
                for try await value in store.values(
                    of: Restaurant.self,
                    { item in
                        if item.stars == 300 { throw Wrong() }
                        return item.stars
                    })
                {
                    values.append(value)
                }
            }
            // None of those before the error is missing.
            #expect(values == Array(0..<300))
            try await eventually { StreamThread.count == 0 }
        }
    }

    @Test(arguments: Backend.allCases)
    func aCancelledTaskEndsTheBlock(_ backend: Backend) async throws {
        try await backend.withStore { store in
            try await fill(store, 600)
            let isInside = DispatchSemaphore(value: 0)
            let mayGoOn = DispatchSemaphore(value: 0)
            let task = Task {
                try await collect(
                    store.values(of: Restaurant.self) { item in
                        if item.stars == 100 {
                            isInside.signal()
                            mayGoOn.wait()
                        }
                        return item.stars
                    })
            }
            try BackgroundBlock { isInside.wait() }.wait()
            task.cancel()
            // The task need not wait for the thread.
            await #expect(throws: CancellationError.self) { _ = try await task.value }
            #expect(StreamThread.count >= 1)
            mayGoOn.signal()
            try await eventually { StreamThread.count == 0 }
            let late = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await collect(store.values(of: Restaurant.self) { $0.stars })
            }
            late.cancel()
            await #expect(throws: CancellationError.self) { _ = try await late.value }
            try await eventually { StreamThread.count == 0 }
        }
    }

    @Test(arguments: Backend.allCases)
    func closingTheStoreEndsItsStreams(_ backend: Backend) async throws {
        try await withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            let other = Backend.memory.make(at: directory)
            try store.open()
            try other.open()
            for isDestroyed in [false, true] {
                try await fill(store, 2_000)
                try await fill(other, 2_000)
                var idle = store.values(of: Restaurant.self) { $0.stars }.makeAsyncIterator()
                var another = other.values(of: Restaurant.self) { $0.stars }.makeAsyncIterator()
                try await #expect(idle.next() == 0)
                try await #expect(another.next() == 0)
                // Nobody asks for the next value.
                try BackgroundBlock {
                    if isDestroyed { try store.destroy() } else { try store.close() }
                }.wait()
                let error = await #expect(throws: DataStoreError.self) {
                    while try await idle.next() != nil {}
                }
                #expect(error?.code == .notSetUp)
                try await #expect(idle.next() == nil)
                var count = 1
                while try await another.next() != nil { count += 1 }
                #expect(count >= 2_000)
                let closed = await #expect(throws: DataStoreError.self) {
                    _ = try await collect(store.values(of: Restaurant.self) { $0.stars })
                }
                #expect(closed?.code == .notSetUp)
                try store.open()
                try await other.write { db in try db.deleteAll(Restaurant.self) }
            }
            try await eventually { StreamThread.count == 0 }
            try store.close()
            try other.close()
        }
    }

    @Test func aStoreOnTheMainThreadHasNoStreams() async throws {
        let store = Backend.memory.make(
            at: FileManager.default.temporaryDirectory, threading: .mainThread)
        let error = await #expect(throws: DataStoreError.self) {
            _ = try await collect(store.values(of: Restaurant.self) { $0.stars })
        }
        #expect(error?.code == .unsupported)
    }

    /// A snapshot keeps LMDB from using pages again that later commits have freed.
    @Test func aStreamThatIsLeftKeepsNoPages() async throws {
        try await withTemporaryDirectory { directory in
            let store = LMDBDataStore(at: directory)
            try store.open()
            try await fill(store, 2_000)
            let file = directory.appending(path: "data.mdb")
            func rewrite(_ times: Int) async throws -> Int {
                for _ in 0..<times {
                    try await store.write { db in
                        try db.update(Restaurant.self) { $0.stars += 1 }
                    }
                }
                // The file may be large and mostly empty.
                let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size]
                return (size as? Int) ?? 0
            }
            let before = try await rewrite(5)
            func sizeWhileStreaming() async throws -> Int {
                for try await _ in store.values(of: Restaurant.self, { $0.stars }) {
                    return try await rewrite(10)
                }
                return 0
            }
            let during = try await sizeWhileStreaming()
            #expect(during > before)
            try await eventually { StreamThread.count == 0 }
            let after = try await rewrite(20)
            #expect(after == during)
            try store.close()
        }
    }

    /// A sorted walk holds ids; items may be deleted and changed ahead.
    @Test(arguments: Backend.allCases)
    func aSortedWalkMeetsItemsAsTheyAre(_ backend: Backend) async throws {
        try await backend.withStore { store in
            try await fill(store, 1_000)
            try await store.write { db in
                let ids = Dictionary(
                    uniqueKeysWithValues: try db.items(Restaurant.self).map { ($0.stars, $0.id) })
                var met: [Int] = []
                try db.forEach(
                    Restaurant.self, where: \.stars < 900, sortedBy: .descending(\.stars), offset: 5
                ) { item in
                    met.append(item.stars)
                    if item.stars.isMultiple(of: 2), item.stars > 0 {
                        let next = try #require(ids[item.stars - 1])
                        try #require(try db.delete(Restaurant.self, id: next))
                    }
                }
                #expect(met == Array(stride(from: 894, through: 0, by: -2)))
            }
            let stars = try await store.read { db in
                var stars: [Int] = []
                try db.forEach(Restaurant.self, sortedBy: .descending(\.stars), limit: 100_000) {
                    stars.append($0.stars)
                }
                return stars
            }
            let before = try await store.read { db in
                try db.items(Restaurant.self, sortedBy: .descending(\.stars)).map(\.stars)
            }
            #expect(stars == before)
        }
    }
}
