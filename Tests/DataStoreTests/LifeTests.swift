import Foundation
import JustPersist
import Testing

/// Clause 1: what a store is until its blocks have ended, and what it leaves in its directory.
@Suite struct LifeTests {
    @Test(arguments: Backend.persistent, [false, true])
    func destroyLeavesNoFile(_ backend: Backend, isOpen: Bool) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            try store.fill(["a"])
            if !isOpen { try store.close() }
            try store.destroy()
            let left = try? FileManager.default.contentsOfDirectory(atPath: directory.path)
            #expect(left ?? [] == [])
        }
    }

    @Test(arguments: Backend.allCases)
    func tearDownWaitsForTheBlocksThatRun(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            let events = SharedList<String>()
            let isInside = DispatchSemaphore(value: 0)
            let reader = BackgroundBlock {
                try store.read { db in
                    isInside.signal()
                    // The store admits no more blocks as soon as closing begins.
                    while try outsiderIsWelcome(store) {}
                    try #expect(db.count(Restaurant.self) == 0)
                    // This thread may, for the block could not end otherwise.
                    try #expect(store.names().isEmpty)
                    events.append("block ended")
                }
            }
            isInside.wait()
            try store.close()
            events.append("closed")
            try reader.wait()
            #expect(events.all == ["block ended", "closed"])
        }
    }

    @Test(arguments: Backend.allCases)
    func tearDownInsideACompletionWorks(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            let closed = DispatchSemaphore(value: 0)
            store.writeAsync { db in
                _ = try db.create(Restaurant.self)
            } completion: { (result: Result<Void, any Error>) in
                #expect(throws: Never.self) { try result.get() }
                #expect(throws: Never.self) { try store.close() }
                closed.signal()
            }
            let last = DispatchSemaphore(value: 0)
            store.writeAsync { _ in
            } completion: {
                last.signal()
            }
            closed.wait()
            last.wait()
            expectError(.notSetUp) { _ = try store.names() }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func tearDownInsideABlockIsRefused(_ backend: Backend) throws {
        let errors = ErrorLog()
        try backend.withStore(errors: errors) { store in
            store.read { _ in
                expectError(.insideBlock) { try store.close() }
                expectError(.insideBlock) { try store.destroy() }
            }
            try store.write { db in
                store.tearDown()
                try db.create(Restaurant.self).name = "a"
            }
            #expect(errors.codes == [.insideBlock])
            let done = DispatchSemaphore(value: 0)
            store.writeAsync { _ in
                store.tearDown()
            } completion: {
                done.signal()
            }
            done.wait()
            #expect(errors.codes == [.insideBlock, .insideBlock])
            try #expect(store.names() == ["a"])
        }
    }

    @Test(arguments: Backend.persistent)
    func failedSetupLeavesAStoreThatCanBeSetUpLater(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            try Data("no store".utf8).write(to: directory)
            let errors = ErrorLog()
            let store = backend.make(at: directory, errors: errors)
            store.setup()
            #expect(errors.codes == [.notAStore])
            expectError(.notSetUp) { _ = try store.names() }
            store.tearDown()
            try #expect(Data(contentsOf: directory) == Data("no store".utf8))
            try FileManager.default.removeItem(at: directory)
            try store.open()
            try store.fill(["a"])
            try #expect(store.names() == ["a"])
            try store.close()
            #expect(errors.codes.count == 1)
        }
    }

    @Test(arguments: Backend.persistent)
    func releasedStoreGivesUpItsFiles(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            do {
                let store = backend.make(at: directory)
                try store.open()
                try store.fill(["a"])
            }
            let store = backend.make(at: directory)
            try store.open()
            try #expect(store.names() == ["a"])
            try store.close()
        }
    }

    /// The queued blocks retain it, until the commit of the last one.
    @Test(arguments: Backend.persistent)
    func droppedStoreLosesQueuedBlocks(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            let failures = Locked<[any Error]>([])
            let done = DispatchGroup()
            func queueAndDrop() throws {
                let store = backend.make(at: directory)
                try store.open()
                for number in 0..<100 {
                    done.enter()
                    store.writeAsync { db in
                        usleep(100)
                        try db.create(Restaurant.self).name = "\(number)"
                    } completion: { (result: Result<Void, any Error>) in
                        if case .failure(let error) = result {
                            failures.withLock { $0.append(error) }
                        }
                        done.leave()
                    }
                }
            }
            try queueAndDrop()
            done.wait()
            #expect(failures.withLock { $0.isEmpty })

            let store = backend.make(at: directory)
            // The dropped one closes after the last completion has been called.
            while true {
                do {
                    try store.open()
                    break
                } catch DataStoreError.Code.alreadyOpen {
                    usleep(1000)
                }
            }
            try #expect(store.names() == (0..<100).map { "\($0)" })
            try store.close()
        }
    }

    @Test(arguments: Backend.persistent)
    func itemKeptBeyondItsBlockDoesNotKeepTheStoreOpen(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            var kept: [Restaurant] = []
            try store.performWrite { db in
                kept.append(try db.create(Restaurant.self))
                kept[0].name = "a"
            }
            try store.performRead { db in kept += try db.items(Restaurant.self) }
            try store.close()
            try store.open()
            #expect(kept.map(\.name) == ["a", "a"])
            try #expect(store.names() == ["a"])
            try store.close()
        }
    }
}

/// Whether another thread can begin a block.
private func outsiderIsWelcome(_ store: any DataStore) throws -> Bool {
    let refusals = SharedList<DataStoreError.Code>()
    try onThreads(1) { _ in
        do {
            _ = try store.read { _ in 0 }
        } catch let error as DataStoreError where error.code == .notSetUp {
            refusals.append(error.code)
        }
    }
    return refusals.all.isEmpty
}
