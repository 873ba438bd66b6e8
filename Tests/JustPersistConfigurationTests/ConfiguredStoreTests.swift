import Configuration
import Foundation
import JustPersistConfiguration
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMemory
import Testing

/// Stores that configuration names.
@Suite struct ConfiguredStoreTests {
    init() {
        LMDBDataStore.register()
        LevelDBDataStore.register()
        InMemoryDataStore.register()
    }

    private func reader(_ values: [AbsoluteConfigKey: ConfigValue]) -> ConfigReader {
        ConfigReader(provider: InMemoryProvider(values: values))
    }

    @Test func aURLIsEnough() async throws {
        let config = reader(["store.url": "memory:?threading=callingThread"])
        let store = try DataStores.open(from: config)
        #expect(store is InMemoryDataStore)
        try store.close()
        let other = try await DataStores.openAsync(from: config)
        #expect(other is InMemoryDataStore)
        try other.close()
    }

    @Test func partsMakeAStore() throws {
        let config = reader([
            "cache.backend": "lmdb", "cache.path": "/nowhere/what?", "cache.mapSize": "64GiB",
            "cache.readers": 7, "cache.readOnly": true, "cache.durability": "relaxed",
            "store.url": "memory:",
        ])
        let store = try #require(
            try DataStores.make(from: config, key: "cache") as? LMDBDataStore)
        #expect(
            store.engine.configuration
                == LMDBConfiguration(
                    maximumSize: 64 << 30, maximumReaders: 7, durability: .relaxed, isReadOnly: true
                ))
        #expect(store.engine.url.path == "/nowhere/what?")
        #expect(try DataStores.make(from: config) is InMemoryDataStore)
    }

    @Test func theEnvironmentIsConfiguration() async throws {
        let config = ConfigReader(
            provider: EnvironmentVariablesProvider(environmentVariables: [
                "STORE_BACKEND": "leveldb", "STORE_PATH": "/nowhere", "STORE_CACHE_SIZE": "1MiB",
                "STORE_OPEN_FILES": "64", "STORE_READ_ONLY": "true",
            ]))
        let store = try #require(try DataStores.make(from: config) as? LevelDBDataStore)
        #expect(
            store.engine.configuration
                == LevelDBConfiguration(
                    blockCacheSize: 1 << 20, maximumOpenFiles: 64, isReadOnly: true))
        await #expect(throws: DataStoreError.self) {
            _ = try await DataStores.openAsync(from: config)
        }
    }

    @Test(
        arguments: [
            ([:], "names no store. Set “store.url”"), (["url": ""], "names no store"),
            (["path": "/a"], "has “store.path”, but no “store.backend”"),
            (["url": "memory:", "backend": "lmdb"], "names the store twice"),
            (["url": "memory:", "path": "/a"], "names the store twice"),
            (["backend": "redis", "path": "/a"], "No backend is registered for “redis:”"),
            (["backend": "lmdb"], "needs the path of a directory"),
            (["url": "lmdb:/a", "cacheSize": "1MiB"], "no option of a store of “lmdb:”"),
            (["url": "lmdb:/a?readers=1", "readers": "2"], "given twice"),
            (["url": "lmdb:/a", "durability": "some"], "full or relaxed"),
        ] as [([String: String], String)])
    func whatMakesNoStoreIsRefused(_ values: [String: String], _ text: String) async throws {
        let config = reader(
            Dictionary(
                uniqueKeysWithValues: values.map { key, value in
                    (
                        AbsoluteConfigKey(["store", key]),
                        ConfigValue(.string(value), isSecret: false)
                    )
                }))
        do {
            _ = try DataStores.make(from: config)
            Issue.record("It made a store.")
        } catch let error as DataStoreError {
            #expect(error.code == .invalidStoreURL)
            #expect(error.message.contains(text), "\(error.message)")
        }
        await #expect(throws: DataStoreError.self) {
            _ = try await DataStores.openAsync(from: config)
        }
    }
}
