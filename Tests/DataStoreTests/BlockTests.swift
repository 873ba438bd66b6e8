import Foundation
import JustPersist
import Testing

/// Clauses 2 and 3: how often blocks run, when, and on which thread.
@Suite struct BlockTests {
    private struct Failure: Error, Equatable {}

    @Test(arguments: Backend.allCases)
    func readAndWriteRunTheirBlockOnceBeforeTheyReturn(_ backend: Backend) throws {
        try backend.withStore { store in
            var runs: [String] = []
            store.read { _ in runs.append("read") }
            store.writeSync { _ in runs.append("writeSync") }
            try store.performRead { _ in runs.append("performRead") }
            try store.write { _ in runs.append("write") }
            #expect(runs == ["read", "writeSync", "performRead", "write"])
            runs = []
            #expect(throws: Failure.self) {
                try store.read { _ in
                    runs.append("read")
                    throw Failure()
                }
            }
            #expect(throws: Failure.self) {
                try store.write { _ in
                    runs.append("write")
                    throw Failure()
                }
            }
            #expect(runs == ["read", "write"])
        }
    }

    @Test(arguments: Backend.allCases)
    func readAndWriteRunOnTheCallersThread(_ backend: Backend) throws {
        try backend.withStore { store in
            try onThreads(2) { _ in
                let caller = Thread.current
                store.read { _ in #expect(Thread.current === caller) }
                try store.write { _ in #expect(Thread.current === caller) }
                store.writeSync { _ in #expect(Thread.current === caller) }
            }
        }
    }

    @Test(arguments: Backend.allCases) func blocksReturnTheirValue(_ backend: Backend) throws {
        try backend.withStore { store in
            try #expect(store.read { _ in 1 } == 1)
            try #expect(store.write { db in try db.create(Restaurant.self).uniqueToken.high } > 0)
            let wasDeleted: Bool? = store.writeSync { db in
                db.delete(item: db.createItem(ofMutableType: Restaurant.self)!)
            }
            #expect(wasDeleted == true)
        }
    }

    @Test(arguments: Backend.allCases)
    func writeAsyncReturnsBeforeItsBlockRuns(_ backend: Backend) throws {
        try backend.withStore { store in
            let hasReturned = DispatchSemaphore(value: 0)
            let done = DispatchSemaphore(value: 0)
            let caller = ObjectIdentifier(Thread.current)
            store.writeAsync { _ in
                hasReturned.wait()
                #expect(ObjectIdentifier(Thread.current) != caller)
                #expect(!Thread.isMainThread)
            } completion: {
                done.signal()
            }
            hasReturned.signal()
            done.wait()
        }
    }

    @Test(arguments: Backend.allCases)
    func queuedBlocksAndCompletionsComeOnceAndInOrder(_ backend: Backend) throws {
        try backend.withStore { store in
            let blocks = SharedList<Int>()
            let completions = SharedList<Int>()
            let done = DispatchSemaphore(value: 0)
            for index in 0..<100 {
                store.writeAsync { db in
                    blocks.append(index)
                    if index % 10 == 3 { throw Failure() }
                    try db.create(Restaurant.self).stars = index
                } completion: { (result: Result<Void, any Error>) in
                    completions.append(index)
                    if index % 10 == 3 {
                        #expect(throws: Failure.self) { try result.get() }
                    } else {
                        #expect(throws: Never.self) { try result.get() }
                    }
                    done.signal()
                }
            }
            for _ in 0..<100 { done.wait() }
            #expect(blocks.all == Array(0..<100))
            #expect(completions.all == Array(0..<100))
            let stars = try store.read { db in try db.items(Restaurant.self).map(\.stars) }
            #expect(stars == (0..<100).filter { $0 % 10 != 3 })
        }
    }

    @Test(arguments: Backend.allCases)
    func completionSeesTheChanges(_ backend: Backend) throws {
        try backend.withStore { store in
            let done = DispatchSemaphore(value: 0)
            store.writeAsync { db in
                try db.create(Restaurant.self).name = "a"
                return "result"
            } completion: { (result: Result<String, any Error>) in
                #expect(throws: Never.self) { try #expect(result.get() == "result") }
                #expect(throws: Never.self) { try #expect(store.names() == ["a"]) }
                // A completion may wait for blocks that were queued after its own.
                let later = DispatchSemaphore(value: 0)
                store.writeAsync { _ in later.signal() }
                later.wait()
                done.signal()
            }
            done.wait()
        }
    }

    @Test(arguments: Backend.allCases)
    func blocksQueuedInsideBlocksRunLater(_ backend: Backend) throws {
        try backend.withStore { store in
            let events = SharedList<String>()
            let done = DispatchSemaphore(value: 0)
            try store.write { db in
                store.writeAsync { db in
                    events.append("queued in write")
                    store.writeAsync { _ in
                        events.append("queued in queued")
                        done.signal()
                    }
                    events.append("end of queued in write")
                }
                try db.create(Restaurant.self).name = "a"
                events.append("end of write")
            }
            done.wait()
            store.read { _ in
                store.writeAsync { db in
                    #expect(throws: Never.self) { try db.create(Restaurant.self).name = "b" }
                } completion: {
                    done.signal()
                }
            }
            done.wait()
            #expect(
                events.all == [
                    "end of write", "queued in write", "end of queued in write",
                    "queued in queued",
                ])
            try #expect(store.names() == ["a", "b"])
        }
    }

    @Test func mainThreadStoresRunTheirBlocksOnTheMainQueue() async throws {
        // In a process of its own, whose main thread is free.
        await #expect(processExitsWith: .success) {
            try await Backend.memory.withMainThreadStore { store in
                try onThreads(2) { index in
                    store.read { _ in dispatchPrecondition(condition: .onQueue(.main)) }
                    try store.write { db in
                        dispatchPrecondition(condition: .onQueue(.main))
                        try db.create(Restaurant.self).name = "\(index)"
                    }
                    store.writeSync { _ in dispatchPrecondition(condition: .onQueue(.main)) }
                    store.writeAsync { _ in
                        dispatchPrecondition(condition: .notOnQueue(.main))
                    }
                }
                #expect(Set(try store.names()) == ["0", "1"])
            }
        }
    }

    @Test func blocksNestOnTheMainThread() async throws {
        await #expect(processExitsWith: .success) {
            try await Backend.memory.withMainThreadStore { store in
                try store.read { db in
                    store.read { _ in dispatchPrecondition(condition: .onQueue(.main)) }
                    try store.write { db in try db.create(Restaurant.self).name = "a" }
                    try #expect(db.count(Restaurant.self) == 0)
                }
                try store.write { _ in
                    try #expect(store.names() == ["a"])
                    expectError(.nestedWrite) { _ = try store.write { _ in 0 } }
                }
            }
        }
    }

    @Test func writeInAQueuedBlockIsRefusedOnTheMainThreadToo() async throws {
        await #expect(processExitsWith: .success) {
            try await Backend.memory.withMainThreadStore { store in
                let done = DispatchSemaphore(value: 0)
                store.writeAsync { db in
                    expectError(.nestedWrite) { _ = try store.write { _ in 0 } }
                    try db.create(Restaurant.self).name = "a"
                } completion: { (_: Result<Void, any Error>) in
                    done.signal()
                }
                done.wait()
                try #expect(store.names() == ["a"])
            }
        }
    }
}

extension Backend {
    /// Runs a test of a store whose blocks run on the main thread, on another thread.
    fileprivate func withMainThreadStore(
        _ body: @escaping @Sendable (any DataStore) throws -> Void
    ) async throws {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            Thread {
                continuation.resume(
                    with: Result { try withStore(threading: .mainThread) { try body($0) } })
            }.start()
        }
    }
}
