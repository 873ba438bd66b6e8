/// Opens stores by URL: the configuration of each deployment chooses the backend.
///
/// ```swift
/// LMDBDataStore.register()
/// let store = try DataStores.open("lmdb:/var/lib/app?durability=relaxed&mapSize=64GiB")
/// ```
///
/// Linking a backend does not register it; a program registers its backends once, at its start.
///
/// A URL consists of a scheme, a place and options:
///
/// - `lmdb:/var/lib/app` and `lmdb:data/app`: the path of a directory. It ends at the first question mark and is
///   otherwise taken literally, including `%` and spaces. A relative path is resolved against the working directory.
/// - `lmdb:~/app`: a path in the user's home directory. A directory with that name is `./~`.
/// - `lmdb:///var/lib/what%3F`: a standard URL with two slashes, no host (or `localhost`) and an absolute path in
///   which `%3F` represents a question mark and `%25` a percent sign.
/// - `?name=value&name=value`: the options, each at most once; in a value `%26` represents an ampersand. Every backend
///   accepts the ``DataStoreOption/common`` options that it supports, and its own. They override the
///   ``DataStoreOptions`` given in code, but a URL cannot make a store writable that the code opens read-only. Unknown
///   options and invalid values are refused, with the nearest name or the valid values.
///
/// The article <doc:ChoosingABackend> lists the options.
public enum DataStores {
    /// Makes a closed store from the part of a URL between the scheme and the options.
    public typealias Factory =
        @Sendable (
            _ location: String, _ options: DataStoreOptions
        ) throws(DataStoreError) -> any DataStore

    /// A backend, with the type of its settings erased.
    private struct Backend: Sendable {
        let options: [DataStoreOptionSummary]
        let make: @Sendable (StoreURL, DataStoreOptions) throws(DataStoreError) -> any DataStore
    }

    private static let backends = Locked<[String: Backend]>([:], isProcessWide: true)

    /// Registers a backend under a URL scheme, and replaces a backend that was registered under it before.
    ///
    /// Its URLs accept the ``DataStoreOption/common`` options.
    public static func register(scheme: String, _ factory: @escaping Factory) {
        register(scheme: scheme, settings: (), options: []) {
            location, options, _ throws(DataStoreError) in try factory(location, options)
        }
    }

    /// Registers a backend with its own options, and replaces a backend that was registered under the scheme before.
    ///
    /// - Parameters:
    ///   - scheme: The part of its URLs before the colon.
    ///   - settings: The settings of a URL without options.
    ///   - options: The backend's own options. One with the name of a common option replaces it.
    ///   - common: The common options that the backend supports.
    ///   - factory: Makes a closed store from the part between the scheme and the options, the common options and the
    ///     settings. ``StoreDirectory/url(_:scheme:)`` makes a file URL from the first.
    public static func register<Settings: Sendable>(
        scheme: String, settings: Settings, options: [DataStoreOption<Settings>],
        common: [DataStoreOption<DataStoreOptions>] = DataStoreOption.common,
        _ factory:
            @escaping @Sendable (
                _ location: String, _ options: DataStoreOptions, _ settings: Settings
            ) throws(DataStoreError) -> any DataStore
    ) {
        let common = common.filter { other in !options.contains { $0.name == other.name } }
        let summaries =
            options.map { $0.summary(of: settings) }
            + common.map { $0.summary(of: DataStoreOptions()) }
        let backend = Backend(options: summaries) { url, given throws(DataStoreError) in
            var (given, own) = (given, settings)
            try common.read(url, into: &given, and: &own, of: options)
            return try factory(url.location, given, own)
        }
        backends.withLock { $0[scheme] = backend }
    }

    /// The registered schemes, sorted.
    public static var schemes: [String] {
        backends.withLock { $0.keys.sorted() }
    }

    /// The options that URLs of a registered scheme accept, its own before the common ones; empty for an unknown
    /// scheme.
    public static func options(ofScheme scheme: String) -> [DataStoreOptionSummary] {
        backends.withLock { $0[scheme]?.options } ?? []
    }

    /// Makes the store that the parts of a URL name, without opening it.
    package static func make(
        _ url: StoreURL, options: DataStoreOptions = DataStoreOptions()
    ) throws(DataStoreError) -> any DataStore {
        guard let backend = backends.withLock({ $0[url.scheme] }) else {
            throw DataStoreError(
                .invalidStoreURL, in: "open",
                "No backend is registered for “\(url.scheme):”; known here: \(knownSchemes).",
                advice: "A backend's register() makes it known.")
        }
        return try backend.make(url, options)
    }

    /// The registered schemes in a message.
    static var knownSchemes: String {
        let names = schemes.map { $0 + ":" }
        return names.isEmpty ? "none" : names.joined(separator: ", ")
    }
}
