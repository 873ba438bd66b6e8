import Foundation
import JustPersist
import Testing

/// A cancelled task ends what a store does for it, in each kind of work.
///
/// The work of each test goes on for ever unless the cancellation ends it.
@Suite(.serialized) struct CancellationTests {
    /// A kind of work that is repeated until it throws.
    enum Work: String, CaseIterable {
        case scan, sortedFetch, groups, regularExpression, subquery, walk, entries
        case indexBuild, verification

        /// Does it once in a block.
        func run(_ db: borrowing some DataStoreReadAccessor & ~Copyable) throws {
            switch self {
            case .scan:
                _ = try db.count(Sample.self, where: DataStorePredicate("b CONTAINS %@", "zzz"))
            case .sortedFetch:
                _ = try db.items(Sample.self, sortedBy: .ascending("b"))
            case .groups:
                let request = DataStoreRequest(itemType: Sample.self)
                _ = try db.aggregate(
                    request, DataStoreAggregation(groupedBy: ["b"], [.sum("a")]))
            case .regularExpression:
                _ = try db.count(Sample.self, where: DataStorePredicate("c MATCHES %@", "(a+)+b"))
            case .subquery:
                _ = try db.count(Sample.self, where: DataStorePredicate(Self.nestedSubqueries))
            case .walk:
                try db.forEach(DataStoreRequest(itemType: Sample.self)) { _ in }
            case .entries:
                _ = try db.count(Sample.self, where: DataStorePredicate("a >= 0"))
            case .indexBuild, .verification: break
            }
        }

        /// Five SUBQUERYs inside one another.
        static let nestedSubqueries =
            (1...5).reversed().reduce("TRUEPREDICATE") { inner, depth in
                "SUBQUERY(d, $x\(depth), \(inner)).@count > \(depth == 1 ? 100 : 0)"
            }

        static let inBlocks = allCases.filter { $0 != .indexBuild && $0 != .verification }
    }

    /// Calls `body` with a store of 3,000 items, with whose values all of the work is costly.
    private func withFilledStore(
        _ backend: Backend, _ body: (any DataStore) async throws -> Void
    ) async throws {
        try await backend.withStore { store in
            try store.writeSync { db in
                try db.declare(
                    ItemSchema(
                        "Sample", attributes: Sample.names.map { AttributeSchema($0) },
                        indexes: [IndexSchema(["a"])]))
                for number in 0..<(backend == .reference ? 300 : 3_000) {
                    let sample = try db.create(Sample.self)
                    sample[0] = .int(Int64(number))
                    sample[1] = .string(String((number &* 7_919) % 100_003))
                    sample[2] = .string(String(repeating: "a", count: 15))
                    sample[3] = .array((0..<6).map { .int($0) })
                }
            }
            try await body(store)
        }
    }

    /// Runs work in a task, cancels the task in the middle of it, and expects that this ends it.
    private func expectCancelled(
        _ name: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ work: @escaping @Sendable (_ begun: @Sendable () -> Void) async throws -> Void
    ) async {
        let hasBegun = DispatchSemaphore(value: 0)
        let cancelled = Locked<ContinuousClock.Instant?>(nil)
        let task = Task { try await work { hasBegun.signal() } }
        // On a thread of its own, for the work may hold those of all tasks.
        Thread {
            hasBegun.wait()
            Thread.sleep(forTimeInterval: 0.03)
            cancelled.withLock { $0 = .now }
            task.cancel()
        }.start()
        let result = await task.result
        if let start = cancelled.withLock({ $0 }) {
            print("cancelled \(name): \(start.duration(to: .now))")
        }
        #expect(throws: CancellationError.self, sourceLocation: sourceLocation) {
            try result.get()
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Backend.memoryAndReference)
    func aCancelledTaskWaitedForItsBlocks(_ backend: Backend) async throws {
        try await withFilledStore(backend) { store in
            for work in Work.inBlocks {
                await expectCancelled("\(backend) async read \(work)") { begun in
                    begun()
                    try await store.read { db in while true { try work.run(db) } }
                }
                await expectCancelled("\(backend) read in a task \(work)") { begun in
                    begun()
                    try store.readSync { db in while true { try work.run(db) } }
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Backend.memoryAndReference)
    func aCancelledWriteBlockIsRolledBack(_ backend: Backend) async throws {
        try await withFilledStore(backend) { store in
            let count = try store.readSync { db in try db.count(Sample.self) }
            await expectCancelled("\(backend) async write") { begun in
                begun()
                try await store.write { db in
                    _ = try db.create(Sample.self)
                    while true { try Work.scan.run(db) }
                }
            }
            // Its code cannot know that an answer is missing.
            await expectCancelled("\(backend) async write that goes on") { begun in
                begun()
                try await store.write { db in
                    _ = try db.create(Sample.self)
                    while (try? Work.scan.run(db)) != nil {}
                }
            }
            await expectCancelled("\(backend) write in a task") { begun in
                begun()
                try store.writeSync { db in
                    _ = try db.create(Sample.self)
                    while true { try Work.sortedFetch.run(db) }
                }
            }
            try #expect(store.readSync { db in try db.count(Sample.self) } == count)
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func aCancelledTaskWaitedForAnIndex() async throws {
        try await withFilledStore(.memory) { store in
            let unique = IndexSchema(["a"], isUnique: true)
            await expectCancelled("index build") { begun in
                begun()
                try store.writeSync { db in
                    while true {
                        try db.declare(
                            ItemSchema(
                                "Sample", attributes: Sample.names.map { AttributeSchema($0) },
                                indexes: [unique]))
                        _ = try db.dropIndex(unique, ofType: "Sample")
                    }
                }
            }
            await expectCancelled("buildIndexes") { begun in
                begun()
                while true {
                    try store.writeSync { db in
                        try db.declare(
                            ItemSchema(
                                "Sample", attributes: Sample.names.map { AttributeSchema($0) },
                                indexes: [unique]))
                    }
                    try store.buildIndexes()
                    _ = try store.writeSync { db in try db.dropIndex(unique, ofType: "Sample") }
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Backend.allCases)
    func aCancelledTaskWaitedForTheVerification(_ backend: Backend) async throws {
        try await withFilledStore(backend) { store in
            await expectCancelled("\(backend) verify") { begun in
                begun()
                while true { _ = try store.verify() }
            }
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Backend.allCases)
    func aCancelledTaskWaitedForItsTurnToWrite(_ backend: Backend) async throws {
        try await backend.withStore { store in
            let mayEnd = DispatchSemaphore(value: 0)
            let isOpen = DispatchSemaphore(value: 0)
            let writer = BackgroundBlock {
                try store.write { _ in
                    isOpen.signal()
                    mayEnd.wait()
                }
            }
            isOpen.wait()
            let ran = SharedList<String>()
            await expectCancelled("\(backend) queued write") { begun in
                begun()
                try await store.write { _ in ran.append("queued") }
            }
            await expectCancelled("\(backend) waiting write") { begun in
                begun()
                try store.writeSync { db in
                    ran.append("waiting")
                    _ = try db.create(Sample.self)
                }
            }
            mayEnd.signal()
            try writer.wait()
            // Blocks after them are not held up, and theirs never run.
            try await store.write { db in _ = try db.create(Sample.self) }
            #expect(ran.all.isEmpty)
            try #expect(store.readSync { db in try db.count(Sample.self) } == 1)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Backend.memoryAndReference)
    func aStreamSearchedOnForItsNextValueWhenItsTaskWasCancelled(
        _ backend: Backend
    ) async throws {
        try await withFilledStore(backend) { store in
            let nothing = try DataStorePredicate(Work.nestedSubqueries)
            await expectCancelled("\(backend) stream") { begun in
                begun()
                while true {
                    for try await _ in store.values(of: Sample.self, where: nothing, { $0[0] }) {}
                    try Task.checkCancellation()
                }
            }
            // It waits for the search, if that goes on.
            try await store.closeAsync()
        }
    }

    @Test func aTaskThatABlockBeginsIsNotPartOfItsWork() async throws {
        try await Backend.memory.withStore { store in
            try store.fill((0..<200).map { "\($0)" })
            let begun = Locked<Task<Int, any Error>?>(nil)
            let outer = Task {
                try await store.read { db in
                    begun.withLock {
                        $0 = Task {
                            while !Task.isCancelled { await Task.yield() }
                            return 0
                        }
                    }
                    while true {
                        _ = try db.count(
                            Restaurant.self, where: DataStorePredicate("name CONTAINS 'x'"))
                    }
                }
            }
            while begun.withLock({ $0 == nil }) { await Task.yield() }
            outer.cancel()
            await #expect(throws: CancellationError.self) { try await outer.value }
            let inner = try #require(begun.withLock { $0 })
            let other = Task { [store] in
                try store.readSync { db in
                    try db.count(Restaurant.self, where: DataStorePredicate("name CONTAINS '1'"))
                }
            }
            try #expect(await other.value > 0)
            inner.cancel()
            _ = try await inner.value
        }
    }
}
