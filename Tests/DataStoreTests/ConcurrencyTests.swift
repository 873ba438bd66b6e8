import Foundation
import JustPersist
import Testing

/// Many threads at once.
@Suite struct ConcurrencyTests {
    @Test(arguments: Backend.allCases) func writersLoseNothing(_ backend: Backend) throws {
        try backend.withStore { store in
            try onThreads(8) { thread in
                for index in 0..<100 {
                    // Every few items a commit, for each waits for the disk.
                    if index % 10 == 0 {
                        try store.write { db in
                            for offset in 0..<10 {
                                try db.create(Restaurant.self).stars =
                                    thread * 100 + index + offset
                            }
                        }
                    }
                }
            }
            let stars = try store.read { db in try db.items(Restaurant.self).map(\.stars) }
            #expect(stars.sorted() == Array(0..<800))
        }
    }

    @Test(arguments: Backend.allCases) func noIncrementIsLost(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.fill(["counter"])
            try onThreads(8) { _ in
                for _ in 0..<15 {
                    try store.write { db in try #require(try db.first(Restaurant.self)).stars += 1 }
                }
            }
            try #expect(store.read { db in try db.first(Restaurant.self)?.stars } == 120)
        }
    }

    @Test(arguments: Backend.allCases)
    func manyThreadsHoldAReadBlockAtOnce(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.fill(["a"])
            let count = 256
            let isInside = DispatchSemaphore(value: 0)
            let mayLeave = DispatchSemaphore(value: 0)
            let readers = (0..<count).map { _ in
                BackgroundBlock {
                    defer { isInside.signal() }
                    try store.read { db in
                        isInside.signal()
                        mayLeave.wait()
                        try #expect(db.items(Restaurant.self).map(\.name) == ["a"])
                    }
                }
            }
            for _ in 0..<count { isInside.wait() }
            try store.fill(["b"])
            for _ in 0..<count { mayLeave.signal() }
            for reader in readers { try reader.wait() }
            try #expect(store.names() == ["a", "b"])
        }
    }

    @Test(arguments: Backend.allCases)
    func readersSeeWholeBlocksThatOnlyGrow(_ backend: Backend) throws {
        try backend.withStore { store in
            let writer = BackgroundBlock {
                for _ in 0..<20 { try store.fill(["a", "b", "c"]) }
            }
            try onThreads(3) { _ in
                var last = 0
                for _ in 0..<50 {
                    try store.read { db in
                        let count = try db.count(Restaurant.self)
                        #expect(count % 3 == 0)
                        #expect(count >= last)
                        try #expect(db.items(Restaurant.self).count == count)
                        last = count
                    }
                }
            }
            try writer.wait()
            try #expect(store.names().count == 60)
        }
    }

    @Test(arguments: Backend.allCases)
    func syncAndAsyncWritesMix(_ backend: Backend) throws {
        try backend.withStore { store in
            let done = DispatchSemaphore(value: 0)
            try onThreads(4) { _ in
                for index in 0..<10 {
                    if index % 2 == 0 {
                        try store.fill(["sync"])
                    } else {
                        store.writeAsync { db in
                            try db.create(Restaurant.self).name = "async"
                        } completion: { (_: Result<Void, any Error>) in
                            done.signal()
                        }
                    }
                }
            }
            for _ in 0..<20 { done.wait() }
            try #expect(store.names().count { $0 == "sync" } == 20)
            try #expect(store.names().count { $0 == "async" } == 20)
        }
    }
}
