import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMigration

/// Stores that are being migrated from LMDB to LevelDB, as backends to examine.
enum MigratingStores {
    /// Makes `migrating:` and `restless:` known: a migration that goes on by itself up to its first phase, and one that cuts
    /// over and goes back as often as it can.
    static func register() {
        DataStores.register(scheme: "migrating") { location, options throws(DataStoreError) in
            try make(location, options)
        }
        DataStores.register(scheme: "restless") { location, options throws(DataStoreError) in
            let store = try make(location, options)
            Thread.detachNewThread { [weak store] in
                while let store {
                    _ = try? store.status.phase == .switched ? store.goBack() : store.cutOver()
                    Thread.sleep(forTimeInterval: 0.002)
                }
            }
            return store
        }
    }

    private static func make(
        _ location: String, _ options: DataStoreOptions
    ) throws(DataStoreError) -> MigratingDataStore {
        let place = try StoreDirectory.url(location, scheme: "migrating")
        var inner = options
        inner.threading = .callingThread
        return MigratingDataStore(
            from: try DataStores.make("lmdb:\(place.appending(path: "old").path)", options: inner),
            to: try DataStores.make("leveldb:\(place.appending(path: "new").path)", options: inner),
            recordedIn: place.appending(path: "migration.json"), threading: options.threading,
            errorHandler: options.errorHandler)
    }
}
