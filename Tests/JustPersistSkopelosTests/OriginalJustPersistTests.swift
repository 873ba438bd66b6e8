import Foundation
import JustPersist
import Testing

/// The promises of the original JustPersist's tests, one test for each of them, with the threads that they demand.
///
/// It wrapped MagicalRecord and Skopelos: here, a store and the store of a stack of Skopelos.
@Suite struct OriginalJustPersistTests {
    private static func expectRead(
        _ store: any DataStore, from caller: Caller
    ) async throws {
        let steps = Steps()
        try await caller.run {
            store.read { _ in
                #expect(Caller.isOnMain)
                steps.add(0)
            }
            steps.add(1)
        }
        #expect(steps.all == [0, 1])
    }

    private static func expectWriteSync(
        _ store: any DataStore, from caller: Caller
    ) async throws {
        let steps = Steps()
        try await caller.run {
            store.writeSync { _ in
                #expect(Caller.isOnMain == (caller == .mainThread))
                steps.add(0)
            }
            steps.add(1)
        }
        #expect(steps.all == [0, 1])
    }

    private static func expectWriteAsync(
        _ store: any DataStore, from caller: Caller
    ) async throws {
        let steps = Steps()
        let hasReturned = DispatchSemaphore(value: 0)
        let hasRun = DispatchSemaphore(value: 0)
        try await caller.run {
            store.writeAsync { _ in
                #expect(!Caller.isOnMain)
                hasReturned.wait()
                steps.add(0)
                hasRun.signal()
            }
            steps.add(1)
            hasReturned.signal()
        }
        try await Caller.background.run { hasRun.wait() }
        #expect(steps.all == [1, 0])
    }

    private static func expectCompletion(_ store: any DataStore) async {
        let steps = Steps()
        await withCheckedContinuation { continuation in
            store.writeAsync { _ in
                #expect(!Caller.isOnMain)
                steps.add(0)
            } completion: {
                steps.add(1)
                continuation.resume()
            }
        }
        #expect(steps.all == [0, 1])
    }

    private static func expectMerge(_ store: any DataStore, _ child: any DataStore) {
        func expectCount(
            _ count: Int, in store: any DataStore, sourceLocation: SourceLocation = #_sourceLocation
        ) {
            store.read { accessor in
                let found = accessor.countItems(forRequest: DataStoreRequest(itemType: User.self))
                #expect(found == count, sourceLocation: sourceLocation)
            }
        }
        expectCount(0, in: store)
        expectCount(0, in: child)
        child.writeSync { accessor in _ = accessor.createItem(ofMutableType: User.self) }
        expectCount(0, in: store)
        expectCount(1, in: child)
        store.merge(child)
        expectCount(1, in: store)
        expectCount(1, in: child)
    }

    @Test(arguments: OriginalStore.allCases)
    func readInMagicalRecordDataStoreFromMainThreadIsSyncOnMainThread(_ store: OriginalStore)
        async throws
    {
        try await store.withStores(isSkopelos: false) { store, _ in
            try await Self.expectRead(store, from: .mainThread)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func readInMagicalRecordDataStoreFromBackgroundThreadIsSyncOnMainThread(_ store: OriginalStore)
        async throws
    {
        try await store.withStores(isSkopelos: false) { store, _ in
            try await Self.expectRead(store, from: .background)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func readInMagicalRecordChildDataStoreFromMainThreadIsSyncOnMainThread(_ store: OriginalStore)
        async throws
    {
        try await store.withStores(isSkopelos: false) { _, store in
            try await Self.expectRead(store, from: .mainThread)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func readInMagicalRecordChildDataStoreFromBackgroundThreadIsSyncOnMainThread(
        _ store: OriginalStore
    ) async throws {
        try await store.withStores(isSkopelos: false) { _, store in
            try await Self.expectRead(store, from: .background)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func writeSyncInMagicalRecordDataStoreFromMainThreadIsSyncOnMainThread(_ store: OriginalStore)
        async throws
    {
        try await store.withStores(isSkopelos: false) { store, _ in
            try await Self.expectWriteSync(store, from: .mainThread)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func writeSyncInMagicalRecordDataStoreFromBackgroundThreadIsSyncOnBackgroundThread(
        _ store: OriginalStore
    ) async throws {
        try await store.withStores(isSkopelos: false) { store, _ in
            try await Self.expectWriteSync(store, from: .background)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func writeSyncInMagicalRecordChildDataStoreFromMainThreadIsSyncOnMainThread(
        _ store: OriginalStore
    ) async throws {
        try await store.withStores(isSkopelos: false) { _, store in
            try await Self.expectWriteSync(store, from: .mainThread)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func writeSyncInMagicalRecordChildDataStoreFromBackgroundThreadIsSyncOnBackgroundThread(
        _ store: OriginalStore
    ) async throws {
        try await store.withStores(isSkopelos: false) { _, store in
            try await Self.expectWriteSync(store, from: .background)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func writeAsyncInMagicalRecordDataStoreFromMainThreadIsAsyncOnBackgroundThread(
        _ store: OriginalStore
    ) async throws {
        try await store.withStores(isSkopelos: false) { store, _ in
            try await Self.expectWriteAsync(store, from: .mainThread)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func writeAsyncInMagicalRecordDataStoreFromBackgroundThreadIsAsyncOnBackgroundThread(
        _ store: OriginalStore
    ) async throws {
        try await store.withStores(isSkopelos: false) { store, _ in
            try await Self.expectWriteAsync(store, from: .background)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func writeAsyncInMagicalRecordChildDataStoreFromMainThreadIsAsyncOnBackgroundThread(
        _ store: OriginalStore
    ) async throws {
        try await store.withStores(isSkopelos: false) { _, store in
            try await Self.expectWriteAsync(store, from: .mainThread)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func writeAsyncInMagicalRecordChildDataStoreFromBackgroundThreadIsAsyncOnBackgroundThread(
        _ store: OriginalStore
    ) async throws {
        try await store.withStores(isSkopelos: false) { _, store in
            try await Self.expectWriteAsync(store, from: .background)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func readInSkopelosDataStoreFromMainThreadIsSyncOnMainThread(_ store: OriginalStore)
        async throws
    {
        try await store.withStores(isSkopelos: true) { store, _ in
            try await Self.expectRead(store, from: .mainThread)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func readInSkopelosDataStoreFromBackgroundThreadIsSyncOnMainThread(_ store: OriginalStore)
        async throws
    {
        try await store.withStores(isSkopelos: true) { store, _ in
            try await Self.expectRead(store, from: .background)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func readInSkopelosChildDataStoreFromMainThreadIsSyncOnMainThread(_ store: OriginalStore)
        async throws
    {
        try await store.withStores(isSkopelos: true) { _, store in
            try await Self.expectRead(store, from: .mainThread)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func readInSkopelosChildDataStoreFromBackgroundThreadIsSyncOnMainThread(_ store: OriginalStore)
        async throws
    {
        try await store.withStores(isSkopelos: true) { _, store in
            try await Self.expectRead(store, from: .background)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func writeSyncInSkopelosDataStoreFromMainThreadIsSyncOnMainThread(_ store: OriginalStore)
        async throws
    {
        try await store.withStores(isSkopelos: true) { store, _ in
            try await Self.expectWriteSync(store, from: .mainThread)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func writeSyncInSkopelosDataStoreFromBackgroundThreadIsSyncOnBackgroundThread(
        _ store: OriginalStore
    ) async throws {
        try await store.withStores(isSkopelos: true) { store, _ in
            try await Self.expectWriteSync(store, from: .background)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func writeSyncInSkopelosChildDataStoreFromMainThreadIsSyncOnMainThread(_ store: OriginalStore)
        async throws
    {
        try await store.withStores(isSkopelos: true) { _, store in
            try await Self.expectWriteSync(store, from: .mainThread)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func writeSyncInSkopelosChildDataStoreFromBackgroundThreadIsSyncOnBackgroundThread(
        _ store: OriginalStore
    ) async throws {
        try await store.withStores(isSkopelos: true) { _, store in
            try await Self.expectWriteSync(store, from: .background)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func writeAsyncInSkopelosDataStoreFromMainThreadIsAsyncOnBackgroundThread(
        _ store: OriginalStore
    ) async throws {
        try await store.withStores(isSkopelos: true) { store, _ in
            try await Self.expectWriteAsync(store, from: .mainThread)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func writeAsyncInSkopelosDataStoreFromBackgroundThreadIsAsyncOnBackgroundThread(
        _ store: OriginalStore
    ) async throws {
        try await store.withStores(isSkopelos: true) { store, _ in
            try await Self.expectWriteAsync(store, from: .background)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func writeAsyncInSkopelosChildDataStoreFromMainThreadIsAsyncOnBackgroundThread(
        _ store: OriginalStore
    ) async throws {
        try await store.withStores(isSkopelos: true) { _, store in
            try await Self.expectWriteAsync(store, from: .mainThread)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func writeAsyncInSkopelosChildDataStoreFromBackgroundThreadIsAsyncOnBackgroundThread(
        _ store: OriginalStore
    ) async throws {
        try await store.withStores(isSkopelos: true) { _, store in
            try await Self.expectWriteAsync(store, from: .background)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func writeAsyncInMagicalRecordCallsCompletion(_ store: OriginalStore) async throws {
        try await store.withStores(isSkopelos: false) { store, _ in
            await Self.expectCompletion(store)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func writeAsyncInSkopelosCallsCompletion(_ store: OriginalStore) async throws {
        try await store.withStores(isSkopelos: true) { store, _ in
            await Self.expectCompletion(store)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func writesInMagicalRecordChildDataStoreAreInParentAfterMerge(_ store: OriginalStore)
        async throws
    {
        try await store.withStores(isSkopelos: false) { store, child in
            Self.expectMerge(store, child)
        }
    }

    @Test(arguments: OriginalStore.allCases)
    func writesInSkopelosChildDataStoreAreInParentAfterMerge(_ store: OriginalStore) async throws {
        try await store.withStores(isSkopelos: true) { store, child in
            Self.expectMerge(store, child)
        }
    }
}
