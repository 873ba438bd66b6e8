import Foundation
import JustPersist
import Testing

/// The calls that suspend.
@Suite struct AsyncTests {
    @Test(arguments: Backend.allCases) func writesAreQueuedInOrder(_ backend: Backend) async throws
    {
        try await backend.withStore { store in
            for round in 0..<5 {
                let order = SharedList<Int>()
                // What is submitted by one thread runs in its order, whichever form submits it.
                let done = DispatchSemaphore(value: 0)
                for index in 0..<10 {
                    store.writeAsync { _ in
                        order.append(index)
                    } completion: {
                        if index == 9 { done.signal() }
                    }
                }
                let value = try await store.write { db in
                    order.append(10)
                    return try db.create(Restaurant.self).stars + round
                }
                #expect(value == round)
                #expect(order.all == Array(0...10))
            }
            let count = try await store.read { db in try db.count(Restaurant.self) }
            #expect(count == 5)
        }
    }

    @Test(arguments: Backend.allCases)
    func cancelledWhileItRunsIsFinished(_ backend: Backend) async throws {
        try await backend.withStore { store in
            let isRunning = DispatchSemaphore(value: 0)
            let mayEnd = DispatchSemaphore(value: 0)
            let write = Task {
                try await store.write { db in
                    isRunning.signal()
                    mayEnd.wait()
                    try db.create(Restaurant.self).name = "a"
                }
            }
            let canceller = BackgroundBlock {
                isRunning.wait()
                write.cancel()
                mayEnd.signal()
            }
            try await write.value
            try canceller.wait()
            try #expect(store.names() == ["a"])
        }
    }

    @Test(arguments: Backend.allCases)
    func blockedReadsLeaveThePoolFree(_ backend: Backend) async throws {
        try await backend.withStore { store in
            let count = ProcessInfo.processInfo.activeProcessorCount + 1
            let mayEnd = DispatchSemaphore(value: 0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<count {
                    group.addTask {
                        _ = try await store.read { _ in
                            mayEnd.wait()
                            return 0
                        }
                    }
                }
                // Runs on the pool, so it would never come if the blocks held its threads.
                group.addTask { for _ in 0..<count { mayEnd.signal() } }
                try await group.waitForAll()
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func aHundredReadsWaitForEachOther(_ backend: Backend) async throws {
        try await backend.withStore { store in
            let count = 100
            let isInside = DispatchSemaphore(value: 0)
            let mayEnd = DispatchSemaphore(value: 0)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<count {
                    group.addTask {
                        try await store.read { db in
                            isInside.signal()
                            mayEnd.wait()
                            return try db.count(Restaurant.self)
                        }
                    }
                }
                let releaser = BackgroundBlock {
                    for _ in 0..<count { isInside.wait() }
                    for _ in 0..<count { mayEnd.signal() }
                }
                // The pool has its threads meanwhile.
                await Task.yield()
                for try await seen in group { #expect(seen == 0) }
                try releaser.wait()
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func misuseIsRefused(_ backend: Backend) async throws {
        try await withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            try await store.write { db in
                expectError(.nestedWrite) {
                    try store.writeSync { _ in try Task.checkCancellation() }
                }
                expectError(.insideBlock) { try store.close() }
                try db.create(Restaurant.self).name = "a"
            }
            try await store.read { _ in
                expectError(.insideBlock) { try store.destroy() }
                try Task.checkCancellation()
            }
            // A block that is queued inside a block runs after it.
            let inner = try await store.read { _ in
                Task { try await store.write { db in try db.count(Restaurant.self) } }
            }
            try #expect(await inner.value == 1)
            try store.close()
            await #expect { try await store.read { _ in 1 } } throws: {
                ($0 as? DataStoreError)?.code == .notSetUp
            }
            await #expect { try await store.write { _ in 1 } } throws: {
                ($0 as? DataStoreError)?.code == .notSetUp
            }
            expectError(.notSetUp) { _ = try store.readSync { _ in 1 } }
        }
    }

    @Test(arguments: Backend.allCases)
    func cancelledTasksRunNoBlocks(_ backend: Backend) async throws {
        try await backend.withStore { store in
            let ran = SharedList<String>()
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                await #expect(throws: CancellationError.self) {
                    try await store.write { _ in ran.append("write") }
                }
                await #expect(throws: CancellationError.self) {
                    _ = try await store.read { _ in
                        ran.append("read")
                        return 0
                    }
                }
            }
            task.cancel()
            await task.value
            #expect(ran.all.isEmpty)
        }
    }

    @Test(arguments: Backend.allCases)
    func tearDownLetsQueuedWritesEnd(_ backend: Backend) async throws {
        try await withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            let mayRun = DispatchSemaphore(value: 0)
            store.writeAsync { _ in mayRun.wait() }
            let writes = (0..<5).map { index in
                Task {
                    try await store.write { db in
                        try db.create(Restaurant.self).stars = index
                        return index
                    }
                }
            }
            // The tasks may come before the store is closed or after it: each gets its answer.
            let closing = BackgroundBlock { try store.close() }
            mayRun.signal()
            var committed: [Int] = []
            for write in writes {
                do {
                    committed.append(try await write.value)
                } catch let error as DataStoreError {
                    #expect(error.code == .notSetUp)
                }
            }
            try closing.wait()
            try store.open()
            let stars = try await store.read { db in try db.items(Restaurant.self).map(\.stars) }
            if backend.isPersistent { #expect(stars.sorted() == committed) }
            try store.close()
        }
    }
}
