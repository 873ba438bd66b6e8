import Foundation
import JustPersist
import Testing

/// The main thread waited in a store for a block that waited for the main thread.
///
/// Each test runs in a process of its own, in which a thread of its own stands for the main queue.
@Suite struct MainThreadWaitTests {
    /// Where the main thread waits for a queued block that reads.
    enum Wait: String, CaseIterable, Codable {
        case write, close, merge, childWrite, compact

        /// Waits on the main thread.
        func run(_ store: any DataStore, _ child: any DataStore) throws {
            switch self {
            case .write: try store.write { db in try db.create(Restaurant.self).name = "main" }
            case .close: try store.close()
            case .merge: try store.merge(child, policy: .childWins)
            case .childWrite:
                // It waits for its parent's turn, because the child's type has to be declared there.
                try child.write { db in try db.create(RestaurantOwner.self).name = "child" }
            case .compact:
                if store is any MaintainableDataStore { _ = try store.compact() }
            }
        }
    }

    /// Calls `body` on the main queue with an open store and a child that has changes.
    private static func onMain(
        _ backend: Backend, _ threading: DataStoreThreading,
        _ body: @escaping @Sendable (any DataStore, any DataStore) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let store = backend.make(at: directory, threading: threading)
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                DispatchQueue.main.async {
                    continuation.resume(
                        with: Result {
                            try store.open()
                            let child = try store.makeChild()
                            try child.open()
                            try child.write { db in try db.create(Restaurant.self).name = "child" }
                            try body(store, child)
                        })
                }
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference, Wait.allCases)
    func theMainThreadWaitedForAQueuedBlockThatReads(
        _ backend: Backend, _ wait: Wait
    ) async throws {
        await #expect(processExitsWith: .success) { [backend, wait] in
            for threading in [DataStoreThreading.mainThread, .originals] {
                try await Self.onMain(backend, threading) { store, child in
                    let isInside = DispatchSemaphore(value: 0)
                    let order = SharedList<String>()
                    store.writeAsync { db in
                        isInside.signal()
                        // By now the main thread waits, or is about to.
                        Thread.sleep(forTimeInterval: 0.05)
                        for _ in 0..<20 {
                            store.read { db in
                                dispatchPrecondition(condition: .onQueue(.main))
                                order.append(
                                    "\(db.countItems(forRequest: DataStoreRequest(itemType: Restaurant.self)))"
                                )
                            }
                        }
                        try db.create(Restaurant.self).name = "queued"
                    } completion: { (result: Result<Void, any Error>) in
                        if case .failure(let error) = result { fatalError("\(error)") }
                    }
                    isInside.wait()
                    try wait.run(store, child)
                    try store.close()
                    precondition(order.all == Array(repeating: "0", count: 20), "\(order.all)")
                }
            }
        }
    }

    /// A read block of the original's form passes its failures on to the block around it, on another thread.
    @Test(arguments: Backend.memoryAndReference)
    func aFailedReadOnTheMainThreadDidNotFailTheBlockAroundIt(_ backend: Backend) async throws {
        await #expect(processExitsWith: .success) { [backend] in
            try await Self.onMain(backend, .originals) { store, _ in
                try store.write { db in try db.create(Restaurant.self).name = "a" }
                let block = BackgroundBlock {
                    do {
                        try store.write { _ in
                            store.read { db in
                                let item = try? db.first(Restaurant.self)
                                _ = item?.object(forKey: "unheardOf")
                            }
                        }
                        fatalError("The block was committed.")
                    } catch DataStoreError.Code.unknownAttribute {
                        return
                    }
                }
                // Serves the block's read meanwhile.
                block.waitForEnd()
                try block.wait()
                // It is none of the main thread's own blocks that fails.
                _ = try store.read { db in try db.schemas().count }
                try store.close()
            }
        }
    }

    /// A block of another store that the main thread runs meanwhile calls for the very thing that it waits in.
    @Test(arguments: [Backend.memory], [Wait.close, .merge])
    func theMainThreadWaitedForItself(_ backend: Backend, _ wait: Wait) async throws {
        await #expect(processExitsWith: .success) { [backend, wait] in
            try await Self.onMain(backend, .mainThread) { store, child in
                try Backend.memory.withStore(threading: .mainThread) { other in
                    let isInside = DispatchSemaphore(value: 0)
                    let refusals = SharedList<DataStoreError.Code>()
                    store.writeAsync { _ in
                        isInside.signal()
                        Thread.sleep(forTimeInterval: 0.05)
                        try other.readSync { _ in
                            do {
                                try wait.run(store, child)
                            } catch let error as DataStoreError {
                                refusals.append(error.code)
                            }
                        }
                    } completion: { _ in
                    }
                    isInside.wait()
                    try wait.run(store, child)
                    try store.close()
                    precondition(
                        refusals.all == [wait == .close ? .insideBlock : .nestedWrite],
                        "\(refusals.all)")
                }
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func theMainThreadWaitedForAQueuedBlockThatWritesElsewhere(_ backend: Backend) async throws {
        await #expect(processExitsWith: .success) { [backend] in
            try await Self.onMain(backend, .mainThread) { store, _ in
                try Backend.memory.withStore(threading: .mainThread) { other in
                    let isInside = DispatchSemaphore(value: 0)
                    store.writeAsync { _ in
                        isInside.signal()
                        Thread.sleep(forTimeInterval: 0.05)
                        other.writeSync { db in
                            dispatchPrecondition(condition: .onQueue(.main))
                            _ = db.createItem(ofMutableType: Restaurant.self)
                        }
                    }
                    isInside.wait()
                    try store.write { db in try db.create(Restaurant.self).name = "main" }
                    let count = try other.read { db in try db.count(Restaurant.self) }
                    precondition(count == 1)
                    try store.close()
                }
            }
        }
    }

    @Test(arguments: [Backend.lmdb, .reference])
    func manyThreadsNeedTheMainThreadWhileItWrites(_ backend: Backend) async throws {
        await #expect(processExitsWith: .success) { [backend] in
            for threading in [DataStoreThreading.mainThread, .originals] {
                try await Self.onMain(backend, threading) { store, _ in
                    let threads = (0..<6).map { number in
                        BackgroundBlock {
                            for round in 0..<30 {
                                try store.write { db in
                                    try db.create(Restaurant.self).stars = number
                                }
                                let count = try store.read { db in try db.count(Restaurant.self) }
                                precondition(count > round)
                                // A read block may write, also in the middle of a wait.
                                try store.read { _ in
                                    try store.write { db in
                                        try db.create(Restaurant.self).stars = number
                                    }
                                }
                            }
                        }
                    }
                    for _ in 0..<100 {
                        try store.write { db in try db.create(Restaurant.self).stars = 100 }
                        store.writeAsync { db in
                            store.read { _ in }
                            _ = db.createItem(ofMutableType: Restaurant.self)
                        }
                    }
                    // The main thread waits here, in another store, until all of them have ended.
                    let other = Backend.memory.make(at: FileManager.default.temporaryDirectory)
                    try other.open()
                    other.writeAsync { _ in for thread in threads { thread.waitForEnd() } }
                    try other.close()
                    for thread in threads { try thread.wait() }
                    try store.close()
                    try store.open()
                    if backend.isPersistent {
                        let count = try store.read { db in try db.count(Restaurant.self) }
                        precondition(count == 6 * 60 + 200, "\(count)")
                    }
                    try store.close()
                }
            }
        }
    }
}
