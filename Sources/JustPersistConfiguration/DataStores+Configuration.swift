public import Configuration
@_exported public import JustPersist

/// Stores from a configuration.
///
/// ```swift
/// let config = ConfigReader(provider: EnvironmentVariablesProvider())
/// let store = try DataStores.open(from: config)  // STORE_URL, or STORE_BACKEND, STORE_PATH, STORE_DURABILITY …
/// ```
///
/// | key | value |
/// |---|---|
/// | `store.url` | the whole URL, `lmdb:/var/lib/app?durability=relaxed` |
/// | `store.backend` | in place of the URL, the scheme of a backend that is registered: `lmdb` |
/// | `store.path` | the location after the scheme in a URL: `/var/lib/app` |
/// | `store.durability`, `store.mapSize` … | each option of a registered backend, by its name in URLs |
///
/// An option may be a text, a whole number or a boolean in the configuration. An option that is also in the URL, and
/// one that only other backends have, is refused. A reader cannot list its keys, so a key that no backend has is not
/// noticed.
extension DataStores {
    /// Opens the store that the configuration names.
    ///
    /// - Parameters:
    ///   - config: The configuration. Only its synchronous lookups are used.
    ///   - key: The prefix of the store's keys; use another than `store` for a second store.
    ///   - options: The options that apply where the configuration has none, and the error handler.
    /// - Throws: `.invalidStoreURL` if the configuration names no store, and the errors of
    ///   `DataStores.open(_:options:)`.
    public static func open(
        from config: ConfigReader, key: ConfigKey = "store",
        options: DataStoreOptions = DataStoreOptions()
    ) throws -> any DataStore {
        let store = try make(from: config, key: key, options: options)
        try store.open()
        return store
    }

    /// Makes the store that the configuration names, without opening it.
    ///
    /// Use it for stores that a service opens. Parameters and errors are those of ``open(from:key:options:)``.
    public static func make(
        from config: ConfigReader, key: ConfigKey = "store",
        options: DataStoreOptions = DataStoreOptions()
    ) throws -> any DataStore {
        let scoped = config.scoped(to: key)
        var found = ConfiguredStore(key: "\(key)")
        for name in ConfiguredStore.names {
            let key = ConfigKey([name])
            found.values[name] =
                scoped.string(forKey: key) ?? scoped.int(forKey: key).map(String.init)
                ?? scoped.bool(forKey: key).map(String.init)
        }
        return try make(try found.url, options: options)
    }

    /// Fetches the store's configuration, and opens the store on another thread.
    ///
    /// Use it for providers that have to wait for their values. Parameters and errors are those of
    /// ``open(from:key:options:)``; errors of a provider are rethrown.
    public static func openAsync(
        from config: ConfigReader, key: ConfigKey = "store",
        options: DataStoreOptions = DataStoreOptions()
    ) async throws -> any DataStore {
        let scoped = config.scoped(to: key)
        var found = ConfiguredStore(key: "\(key)")
        for name in ConfiguredStore.names {
            found.values[name] = try await scoped.fetchText(ConfigKey([name]))
        }
        let store = try make(try found.url, options: options)
        try await store.openAsync()
        return store
    }
}

extension ConfigReader {
    /// A text, or a number or a boolean as a text.
    fileprivate func fetchText(_ key: ConfigKey) async throws -> String? {
        // A provider throws for a value of another kind than requested, as it does when it fails.
        do { return try await fetchString(forKey: key) } catch {
            if let number = try? await fetchInt(forKey: key) { return String(number) }
            if let truth = try? await fetchBool(forKey: key) { return String(truth) }
            throw error
        }
    }
}
