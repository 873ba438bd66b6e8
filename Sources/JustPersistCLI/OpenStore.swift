import Foundation
import JustPersist

/// A store that a command works on, open from its initialization until ``close()`` or the end of its scope.
final class OpenStore {
    let store: any DataStore

    /// Opens an existing store for reading.
    static func reading(_ url: String) throws -> OpenStore {
        try OpenStore(url, DataStoreOptions(isReadOnly: true, createsIfMissing: false))
    }

    /// Opens a store for writing, and creates it if it is missing.
    static func writing(_ url: String) throws -> OpenStore {
        try OpenStore(url, DataStoreOptions())
    }

    /// Opens an existing store for changes.
    static func changing(_ url: String) throws -> OpenStore {
        try OpenStore(url, DataStoreOptions(createsIfMissing: false))
    }

    private init(_ url: String, _ options: DataStoreOptions) throws {
        store = try DataStores.open(url, options: options)
    }

    deinit { try? store.close() }

    /// Whether two URLs name one store, apart from links to it and other spellings of a server.
    static func areSame(_ first: String, _ second: String) -> Bool {
        guard let first = try? StoreURL(first), let second = try? StoreURL(second) else {
            return false
        }
        func store(_ url: StoreURL) -> String? { url.options.last { $0.name == "store" }?.value }
        return first.scheme == second.scheme && first.scheme != "memory"
            && first.location == second.location && store(first) == store(second)
    }

    /// Closes the store, and throws if that fails.
    func close() throws { try store.close() }
}

/// The help text for a store's URL.
let storeHelp = "lmdb:PATH, leveldb:PATH, memory: or postgres://USER@HOST/DATABASE?store=NAME"
