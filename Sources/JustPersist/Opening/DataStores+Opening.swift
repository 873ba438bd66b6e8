import Foundation

extension DataStores {
    /// Makes the store that a URL such as `lmdb:/var/lib/app` or `memory:` names, without opening it.
    ///
    /// - Throws: `.invalidStoreURL` if the URL names no registered backend or has options that the backend does not take.
    public static func make(
        _ url: String, options: DataStoreOptions = DataStoreOptions()
    ) throws(DataStoreError) -> any DataStore {
        try make(StoreURL(url), options: options)
    }

    /// Opens the store that a URL such as `lmdb:/var/lib/app` or `memory:` names.
    ///
    /// - Throws: The errors of ``make(_:options:)``, and of opening the store.
    public static func open(
        _ url: String, options: DataStoreOptions = DataStoreOptions()
    ) throws -> any DataStore {
        let store = try make(url, options: options)
        try store.open()
        return store
    }

    /// Opens the store that a URL names, on another thread, and returns when it is open.
    public static func openAsync(
        _ url: String, options: DataStoreOptions = DataStoreOptions()
    ) async throws -> any DataStore {
        let store = try make(url, options: options)
        try await store.openAsync()
        return store
    }

    /// Opens the store whose URL is in an environment variable.
    ///
    /// ```swift
    /// let store = try DataStores.open(environment: "APP_STORE")
    /// ```
    ///
    /// - Throws: `.invalidStoreURL` if the variable is not set or is empty, and the errors of ``open(_:options:)``.
    public static func open(
        environment variable: String, options: DataStoreOptions = DataStoreOptions()
    ) throws -> any DataStore {
        try open(url(inEnvironment: variable), options: options)
    }

    /// Opens the store whose URL is in an environment variable, on another thread, and returns when it is open.
    public static func openAsync(
        environment variable: String, options: DataStoreOptions = DataStoreOptions()
    ) async throws -> any DataStore {
        try await openAsync(url(inEnvironment: variable), options: options)
    }

    /// The URL in an environment variable.
    package static func url(
        inEnvironment variable: String,
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(DataStoreError) -> String {
        let value = environment[variable]
        if let value, !value.isEmpty { return value }
        throw DataStoreError(
            .invalidStoreURL, in: "open",
            """
            The environment variable “\(variable)”, which names the store, is \(value == nil ? "not set" : "empty"). Set it \
            to a URL such as lmdb:/var/lib/app; known here: \(knownSchemes).
            """)
    }
}
