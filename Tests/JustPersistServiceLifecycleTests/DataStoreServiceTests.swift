import JustPersistMemory
import JustPersistServiceLifecycle
import Logging
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing

@Suite struct DataStoreServiceTests {
    @Test(arguments: [true, false])
    func storeIsOpenUntilTheShutdown(_ isOpenBefore: Bool) async throws {
        let store = InMemoryDataStore()
        if isOpenBefore { try store.open() }
        try await testGracefulShutdown { trigger in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await DataStoreService(store).run() }
                try await DataStoreService(store).waitUntilOpen()
                try await store.write { db in try db.declare(ItemSchema("A", attributes: [])) }
                trigger.triggerGracefulShutdown()
                try await group.waitForAll()
            }
        }
        #expect(isClosed(store))
    }

    @Test func cancellationClosesTheStore() async throws {
        let store = InMemoryDataStore()
        let service = Task { try await DataStoreService(store).run() }
        while isClosed(store) { await Task.yield() }
        service.cancel()
        try await service.value
        #expect(isClosed(store))
    }

    @Test func aServiceGroupRunsTheStore() async throws {
        let store = InMemoryDataStore()
        let service = DataStoreService(store)
        let user = User(service: service)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(service: service),
                    .init(service: user, successTerminationBehavior: .gracefullyShutdownGroup),
                ], logger: Logger(label: "test")))
        try await group.run()
        #expect(isClosed(store))
    }

    private struct User: Service {
        let service: DataStoreService

        func run() async throws {
            try await service.waitUntilOpen()
            try await service.store.write { db in
                try db.declare(ItemSchema("A", attributes: []))
            }
        }
    }

    private func isClosed(_ store: any DataStore) -> Bool {
        do {
            try store.performRead { _ in }
            return false
        } catch {
            return (error as? DataStoreError)?.code == .notSetUp
        }
    }
}
