import Foundation

/// Opens stores by URL: the backend is chosen per deployment, in configuration.
///
/// ```swift
/// LMDBDataStore.register()
/// let store = try DataStores.open("lmdb:/var/lib/app")
/// ```
///
/// Linking a backend does not register it; the program says once, at its start, which ones it has.
public enum DataStores {
    /// Makes a closed store from what stands behind the scheme in a URL.
    public typealias Factory =
        @Sendable (
            _ location: String, _ options: DataStoreOptions
        ) throws(DataStoreError) -> any DataStore

    private static let factories = Locked<[String: Factory]>([:])

    /// Registers a backend under a URL scheme, in place of one registered under it before.
    public static func register(scheme: String, _ factory: @escaping Factory) {
        factories.withLock { $0[scheme] = factory }
    }

    /// The registered schemes, sorted.
    public static var schemes: [String] {
        factories.withLock { $0.keys.sorted() }
    }

    /// Makes the store that a URL such as `lmdb:/var/lib/app` or `memory:` names, without opening it.
    public static func make(
        _ url: String, options: DataStoreOptions = DataStoreOptions()
    ) throws(DataStoreError) -> any DataStore {
        guard let colon = url.firstIndex(of: ":") else {
            throw DataStoreError(
                .invalidStoreURL, in: "open",
                "“\(url)” names no backend. Write SCHEME:PATH; known here: \(knownSchemes).")
        }
        let scheme = String(url[..<colon])
        guard let factory = factories.withLock({ $0[scheme] }) else {
            throw DataStoreError(
                .invalidStoreURL, in: "open",
                """
                No backend is registered for “\(scheme):”; known here: \(knownSchemes). A backend's \
                register() makes it known.
                """)
        }
        return try factory(String(url[url.index(after: colon)...]), options)
    }

    /// Opens the store that a URL such as `lmdb:/var/lib/app` or `memory:` names.
    public static func open(
        _ url: String, options: DataStoreOptions = DataStoreOptions()
    ) throws -> any DataStore {
        let store = try make(url, options: options)
        try store.open()
        return store
    }

    private static var knownSchemes: String {
        let names = schemes.map { $0 + ":" }
        return names.isEmpty ? "none" : names.joined(separator: ", ")
    }
}

/// What can be chosen of any store, whatever its backend.
public struct DataStoreOptions: Sendable {
    /// What committed writes survive.
    public var durability: Durability
    /// Whether writes are refused.
    public var isReadOnly: Bool
    /// Whether a store that is not there is made; without it that is an error.
    public var createsIfMissing: Bool
    /// On which thread the blocks of `read` and `writeSync` run.
    public var threading: DataStoreThreading
    /// Receives the failures of calls that cannot throw.
    public var errorHandler: DataStoreErrorHandler?

    /// Options; by default a durable store that is made if it is not there.
    public init(
        durability: Durability = .full, isReadOnly: Bool = false, createsIfMissing: Bool = true,
        threading: DataStoreThreading = .callingThread, errorHandler: DataStoreErrorHandler? = nil
    ) {
        self.durability = durability
        self.isReadOnly = isReadOnly
        self.createsIfMissing = createsIfMissing
        self.threading = threading
        self.errorHandler = errorHandler
    }
}
