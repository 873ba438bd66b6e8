import Foundation
import JustPersistMemory
import JustPersistSkopelos
import Testing

/// The calls of the stack.
@Suite struct BlockTests {
    @Test(arguments: Stack.allCases) func blocksChain(_ stack: Stack) throws {
        try stack.with { skopelos in
            var steps: [Int] = []
            var user: User?
            skopelos.writeSync { context in
                user = User.SK_create(context)
                user?.firstname = "John"
                user?.lastname = "Doe"
                steps.append(1)
            }.writeSync { context in
                if let userInContext = user?.SK_inContext(context) {
                    #expect(userInContext.firstname == "John")
                    userInContext.SK_remove(context)
                }
                User.SK_create(context)
                steps.append(2)
            }.read { context in
                let users = User.SK_all(context)
                #expect(users.count == 1 && users[0].firstname == nil)
                steps.append(3)
            }.read { _ in steps.append(4) }
            #expect(steps == [1, 2, 3, 4])
            #expect(skopelos.errors.isEmpty)
        }
    }

    @Test(arguments: Stack.allCases) func completionsComeOnTheMainQueue(_ stack: Stack) async throws
    {
        try await stack.with { skopelos in
            let first = await withCheckedContinuation { continuation in
                _ = skopelos.writeSync(
                    { context in User.SK_create(context) },
                    completion: { error in
                        #expect(Caller.isOnMain)
                        continuation.resume(returning: error?.code)
                    })
            }
            let second = await withCheckedContinuation { continuation in
                skopelos.writeAsync(
                    { context in
                        #expect(!Caller.isOnMain)
                        User.SK_create(context)
                    },
                    completion: { error in
                        #expect(Caller.isOnMain)
                        continuation.resume(returning: error?.code)
                    })
            }
            #expect(first == nil && second == nil)
            skopelos.writeAsync { context in User.SK_create(context) }
            let count = try await skopelos.dataStore.write { db in
                try User.count(in: db)
            }
            #expect(count == 3)
        }
    }

    @Test(arguments: Stack.allCases) func failuresGoToTheHandlerAndTheCompletion(
        _ stack: Stack
    ) async throws {
        try await stack.with { skopelos in
            try await skopelos.dataStore.closeAsync()
            var ran = false
            skopelos.read { _ in ran = true }.writeSync { _ in ran = true }
            #expect(!ran)
            #expect(skopelos.errors.map(\.code) == [.notSetUp, .notSetUp])
            for isSync in [true, false] {
                let code = await withCheckedContinuation { continuation in
                    if isSync {
                        _ = skopelos.writeSync({ _ in }) {
                            continuation.resume(returning: $0?.code)
                        }
                    } else {
                        skopelos.writeAsync({ _ in }) { continuation.resume(returning: $0?.code) }
                    }
                }
                #expect(code == .notSetUp)
            }
            #expect(skopelos.errors.count == 4)
        }
    }

    @Test(arguments: Stack.allCases) func nukeLeavesAnEmptyStore(_ stack: Stack) throws {
        try stack.with { skopelos in
            skopelos.writeSync { context in User.SK_create(context) }
            skopelos.nuke()
            skopelos.read { context in #expect(User.SK_all(context).isEmpty) }
                .writeSync { context in User.SK_create(context) }
                .read { context in #expect(User.SK_numberOfEntities(context) == 1) }
                .read { _ in
                    skopelos.nuke()
                    #expect(skopelos.errors.map(\.code) == [.insideBlock])
                }
        }
    }

    @Test func aStackIsOpenedBeforeItsCompletion() async {
        let order = Order()
        let sync = Skopelos(inMemoryStack: nil) { order.add("opened") }
        order.add("made")
        #expect(order.steps == ["opened", "made"])
        sync.read { context in #expect(User.SK_all(context).isEmpty) }

        await withCheckedContinuation { continuation in
            let skopelos = Client(
                inMemoryStack: URL(filePath: "/DataModel.momd"), allowsConcurrentWritings: false,
                shouldAddStoreAsynchronously: true
            ) {
                #expect(Caller.isOnMain)
                continuation.resume()
            }
            skopelos.dataStore.setup()
        }
    }

    @Test func theHandlerOfTheStoreIsToldToo() throws {
        let order = Order()
        let store = InMemoryDataStore { error in order.add(error.code.rawValue) }
        let skopelos = Client(dataStore: store)
        try store.close()
        skopelos.read { _ in }
        #expect(order.steps == ["notSetUp"] && skopelos.errors.map(\.code) == [.notSetUp])
    }

    /// What happened, in order.
    private final class Order: @unchecked Sendable {
        private let lock = NSLock()
        private var entries: [String] = []

        var steps: [String] { lock.withLock { entries } }
        func add(_ step: String) { lock.withLock { entries.append(step) } }
    }
}
