import Foundation
import JustPersist
import Testing

/// Clauses 2 and 3: how often blocks run, when, and on which thread.
@Suite struct BlockTests {
    private struct Failure: Error, Equatable {}

    @Test(arguments: Backend.memoryAndReference)
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

    @Test(arguments: Backend.memoryAndReference)
    func blocksReturnTheirValue(_ backend: Backend) throws {
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

    /// The snapshots of 256 open read blocks do not move when a block commits.
    @Test(arguments: Backend.allCases)
    func aBlockCommitsBesideManyReaders(_ backend: Backend) throws {
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
