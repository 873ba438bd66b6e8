import Foundation
import JustPersistSkopelos
import Testing

/// The promises of the original Skopelos' tests of blocks, one test for each of them: chaining, threads, nuking, setup.
@Suite struct OriginalSkopelosTests {
    // MARK: Chaining

    @Test(arguments: OriginalStore.allCases) func chaining(_ store: OriginalStore) async throws {
        try await store.withSkopelos { skopelos in
            let steps = Steps()
            skopelos.writeSync { context in
                let user = User.SK_create(context)
                #expect(user.SK_inContext(context) != nil)
                User.SK_create(context)
                #expect(User.SK_all(context).count == 2)
            }.writeSync { context in
                User.SK_first(context)?.SK_remove(context)
                #expect(User.SK_all(context).count == 1)
            }.read { context in
                #expect(User.SK_all(context).count == 1)
                steps.add(0)
            }
            #expect(steps.all == [0])
        }
    }

    // MARK: Concurrency

    private func expectChain(
        _ store: OriginalStore, from caller: Caller,
        _ chain: @escaping @Sendable (Client, Steps) -> Void
    ) async throws {
        try await store.withSkopelos { skopelos in
            let steps = Steps()
            try await caller.run { chain(skopelos, steps) }
            #expect(steps.all == Array(0..<steps.all.count) && !steps.all.isEmpty)
            #expect(skopelos.errors.isEmpty)
        }
    }

    private static func makeUser(_ skopelos: Client, _ steps: Steps) {
        skopelos.writeSync { context in
            User.SK_removeAll(context)
        }.read { context in
            #expect(User.SK_all(context).isEmpty)
        }.writeSync { context in
            let user = User.SK_create(context)
            user.firstname = "John"
            user.lastname = "Doe"
        }.read { context in
            #expect(User.SK_all(context).count == 1)
            steps.add(0)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func dispatchAsyncOnMainQueue(_ store: OriginalStore) async throws {
        try await expectChain(store, from: .mainThread, Self.makeUser)
    }

    @Test(arguments: OriginalStore.allCases)
    func dispatchAsyncOnBackgroundQueue(_ store: OriginalStore) async throws {
        try await expectChain(store, from: .background, Self.makeUser)
    }

    @Test(arguments: OriginalStore.allCases) func performance(_ store: OriginalStore) async throws {
        // The original measures this; here it has to end, with each completion called.
        try await store.withSkopelos { skopelos in
            for _ in 0..<3 {
                let code = await withCheckedContinuation { continuation in
                    _ = skopelos.writeSync { context in
                        let user = User.SK_create(context)
                        user.firstname = "John"
                        user.lastname = "Doe"
                    }.writeSync { context in
                        User.SK_removeAll(context)
                    }.writeSync(
                        { context in #expect(User.SK_all(context).isEmpty) },
                        completion: { error in continuation.resume(returning: error?.code) })
                }
                #expect(code == nil)
            }
        }
    }

    private static func countSteps(_ skopelos: Client, _ steps: Steps) {
        steps.add(0)
        skopelos.writeSync { _ in steps.add(1) }
            .read { _ in steps.add(2) }
            .writeSync { _ in steps.add(3) }
            .read { _ in steps.add(4) }
        steps.add(5)
    }

    @Test(arguments: OriginalStore.allCases)
    func correctOrderOfOperationsMainQueue(_ store: OriginalStore) async throws {
        try await expectChain(store, from: .mainThread, Self.countSteps)
    }

    @Test(arguments: OriginalStore.allCases)
    func correctOrderOfOperationsBackgroundQueue(_ store: OriginalStore) async throws {
        try await expectChain(store, from: .background, Self.countSteps)
    }

    @Test(arguments: OriginalStore.allCases)
    func correctThreadingOfOperationsMainQueueSyncWrite(_ store: OriginalStore) async throws {
        try await expectChain(store, from: .mainThread) { skopelos, steps in
            skopelos.writeSync { _ in #expect(Caller.isOnMain) }
                .read { _ in
                    #expect(Caller.isOnMain)
                    steps.add(0)
                }
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func correctThreadingOfOperationsBackgroundQueueSyncWrite(_ store: OriginalStore) async throws {
        try await expectChain(store, from: .background) { skopelos, steps in
            skopelos.writeSync { _ in #expect(!Caller.isOnMain) }
                .read { _ in
                    #expect(Caller.isOnMain)
                    steps.add(0)
                }
        }
    }

    private func expectAsyncWrite(_ store: OriginalStore, from caller: Caller) async throws {
        try await store.withSkopelos { skopelos in
            let code = await withCheckedContinuation {
                (continuation: CheckedContinuation<DataStoreError.Code?, Never>) in
                Task {
                    try await caller.run {
                        skopelos.writeAsync(
                            { _ in #expect(!Caller.isOnMain) },
                            completion: { error in
                                #expect(Caller.isOnMain)
                                continuation.resume(returning: error?.code)
                            })
                    }
                }
            }
            #expect(code == nil)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func correctThreadingOfOperationsMainQueueAsyncWrite(_ store: OriginalStore) async throws {
        try await expectAsyncWrite(store, from: .mainThread)
    }

    @Test(arguments: OriginalStore.allCases)
    func correctThreadingOfOperationsBackgroundQueueAsyncWrite(
        _ store: OriginalStore
    ) async throws {
        try await expectAsyncWrite(store, from: .background)
    }

    // MARK: Nuking

    private func expectNuke(_ skopelos: Client) {
        skopelos.writeSync { context in
            User.SK_create(context)
            #expect(User.SK_all(context).count == 1)
        }.read { context in
            #expect(User.SK_all(context).count == 1)
        }
        skopelos.nuke()
        skopelos.read { context in #expect(User.SK_all(context).isEmpty) }
        #expect(skopelos.errors.isEmpty)
    }

    @Test(arguments: OriginalStore.allCases)
    func nukingSQLiteStack(_ store: OriginalStore) async throws {
        try await store.withSkopelos { skopelos in expectNuke(skopelos) }
    }

    @Test(arguments: OriginalStore.allCases)
    func nukingSQLiteStackInSharedSpace(_ store: OriginalStore) async throws {
        // The original's space of an application group is any directory here, which others may have files in.
        try await store.withDirectory { directory in
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
            let file = directory.appending(path: "of another program")
            try Data([1]).write(to: file)
            let skopelos = Client(dataStore: store.make(at: directory.appending(path: "store")))
            expectNuke(skopelos)
            try skopelos.dataStore.close()
            #expect(try Data(contentsOf: file) == Data([1]))
        }
    }

    @Test func nukingInMemoryStack() async throws {
        expectNuke(Client(inMemoryStack: nil))
    }

    // MARK: Setup

    private func expectSetup(_ store: OriginalStore, isAsync: Bool, order: [Int]) async throws {
        try await store.withDirectory { directory in
            let steps = Steps()
            let made = await withCheckedContinuation {
                (continuation: CheckedContinuation<Client?, Never>) in
                Task { @MainActor in
                    // The main queue is busy until the stack is made, so that an asynchronous completion comes later.
                    let isOpen = Opened()
                    let skopelos = Client(
                        dataStore: store.make(at: directory), allowsConcurrentWritings: true,
                        shouldAddStoreAsynchronously: isAsync
                    ) {
                        steps.add(0)
                        isOpen.note { continuation.resume(returning: $0) }
                    }
                    steps.add(1)
                    isOpen.note(skopelos) { continuation.resume(returning: $0) }
                }
            }
            let skopelos = try #require(made)
            #expect(steps.all == order)
            #expect(skopelos.errors.isEmpty)
            skopelos.read { context in #expect(User.SK_all(context).isEmpty) }
            try await skopelos.dataStore.closeAsync()
        }
    }

    @Test(arguments: OriginalStore.allCases) func setupSync(_ store: OriginalStore) async throws {
        try await expectSetup(store, isAsync: false, order: [0, 1])
    }

    @Test(arguments: OriginalStore.allCases) func setupAsync(_ store: OriginalStore) async throws {
        try await expectSetup(store, isAsync: true, order: [1, 0])
    }

    /// A stack that was made and whose completion was called, in either order.
    private final class Opened: @unchecked Sendable {
        private let lock = NSLock()
        private var skopelos: Client?
        private var count = 0

        func note(_ made: Client? = nil, _ done: (Client?) -> Void) {
            let isDone = lock.withLock {
                count += 1
                skopelos = made ?? skopelos
                return count == 2
            }
            if isDone { done(skopelos) }
        }
    }
}
