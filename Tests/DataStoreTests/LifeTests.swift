import Foundation
import JustPersist
import Testing

/// Clause 1: opening, closing, destroying, and use outside of that.
@Suite struct LifeTests {
    @Test(arguments: Backend.allCases, [false, true])
    func useOfAClosedStoreIsRefused(_ backend: Backend, wasOpen: Bool) async throws {
        let errors = ErrorLog()
        try await withTemporaryDirectory { directory in
            let store = backend.make(at: directory, errors: errors)
            if wasOpen {
                try store.open()
                try store.close()
            }
            try expectRefusals(of: store, errors)
            await #expect(throws: DataStoreError.self) { _ = try await store.read { _ in 1 } }
            await #expect(throws: DataStoreError.self) { _ = try await store.write { _ in 1 } }
            #expect(errors.codes.count == 3)
        }
    }

    private func expectRefusals(of store: any DataStore, _ errors: ErrorLog) throws {
        expectError(.notSetUp) { _ = try store.read { _ in ran() } }
        expectError(.notSetUp) { _ = try store.write { _ in ran() } }
        expectError(.notSetUp) { _ = try store.verify() }
        #expect(errors.codes.isEmpty)
        store.read { _ in _ = ran() }
        #expect(errors.codes == [.notSetUp])
        store.writeSync { _ in _ = ran() }
        #expect(errors.codes == [.notSetUp, .notSetUp])
        let done = DispatchSemaphore(value: 0)
        store.writeAsync { _ in
            _ = ran()
        } completion: {
            done.signal()
        }
        done.wait()
        #expect(errors.codes == [.notSetUp, .notSetUp, .notSetUp])
        store.writeAsync { _ in
            1
        } completion: { (result: Result<Int, any Error>) in
            #expect { try result.get() } throws: { ($0 as? DataStoreError)?.code == .notSetUp }
            done.signal()
        }
        done.wait()
    }

    private func ran() -> Int {
        Issue.record("A block ran")
        return 0
    }

    @Test(arguments: Backend.allCases) func setupTwiceKeepsTheData(_ backend: Backend) throws {
        let errors = ErrorLog()
        try backend.withStore(errors: errors) { store in
            try store.fill(["a"])
            store.setup()
            try store.open()
            try #expect(store.names() == ["a"])
        }
        #expect(errors.codes.isEmpty)
    }

    @Test(arguments: Backend.allCases) func tearDownIsHarmlessAnyTime(_ backend: Backend) throws {
        let errors = ErrorLog()
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory, errors: errors)
            store.tearDown()
            store.setup()
            store.tearDown()
            store.tearDown()
            try store.close()
            try store.open()
            try store.close()
        }
        #expect(errors.codes.isEmpty)
    }

    @Test(arguments: Backend.allCases)
    func dataComesBackAsFarAsDeclared(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            try store.fill(["a", "b"])
            try store.close()
            try store.open()
            let isKept = store.capabilities.persistence > .none
            #expect(isKept == Backend.persistent.contains(backend))
            try #expect(store.names() == (isKept ? ["a", "b"] : []))
            try store.close()
        }
    }

    @Test(arguments: Backend.allCases, [false, true])
    func destroyEmptiesAnOpenOrAClosedStore(_ backend: Backend, isOpen: Bool) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            try store.fill(["a"])
            if !isOpen { try store.close() }
            try store.destroy()
            expectError(.notSetUp) { _ = try store.names() }
            let left = try? FileManager.default.contentsOfDirectory(atPath: directory.path)
            #expect(left ?? [] == [])
            try store.destroy()
            try store.open()
            try #expect(store.names() == [])
            try #expect(store.read { db in try db.schemas().count } == 0)
            try store.fill(["b"])
            try #expect(store.names() == ["b"])
            try store.close()
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
    func tearDownCommitsQueuedBlocks(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            let outcomes = SharedList<Bool>()
            let mayRun = DispatchSemaphore(value: 0)
            let ended = DispatchSemaphore(value: 0)
            for index in 0..<20 {
                store.writeAsync { db in
                    if index == 0 { mayRun.wait() }
                    try db.create(Restaurant.self).name = "\(index)"
                } completion: { (result: Result<Void, any Error>) in
                    outcomes.append((try? result.get()) != nil)
                    ended.signal()
                }
            }
            let closing = BackgroundBlock { try store.close() }
            while try outsiderIsWelcome(store) {}
            mayRun.signal()
            try closing.wait()
            for _ in 0..<20 { ended.wait() }
            #expect(outcomes.all == Array(repeating: true, count: 20))
            try store.open()
            if backend.isPersistent {
                try #expect(store.names() == (0..<20).map { "\($0)" })
            }
            try store.close()
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

    @Test(arguments: Backend.allCases)
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

    @Test(arguments: Backend.allCases) func eightThreadsSetUpAtOnce(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try onThreads(8) { index in
                try store.open()
                try store.fill(["\(index)"])
            }
            #expect(Set(try store.names()) == Set((0..<8).map { "\($0)" }))
            try store.close()
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

    #if os(Linux)
        @Test(arguments: Backend.persistent)
        func openingAndClosingLeaksNoDescriptor(_ backend: Backend) async throws {
            await #expect(processExitsWith: .success) { [backend = backend as Backend] in
                try withTemporaryDirectory { directory in
                    func round() throws {
                        let store = backend.make(at: directory)
                        try store.open()
                        try store.fill(["a"])
                        _ = try store.names()
                        try store.close()
                    }
                    func descriptors() throws -> Int {
                        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
                    }
                    try round()
                    let before = try descriptors()
                    for _ in 0..<20 { try round() }
                    try #expect(descriptors() == before)
                }
            }
        }
    #endif
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
