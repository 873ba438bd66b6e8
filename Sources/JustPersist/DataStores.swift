import Foundation

/// Opens stores by URL: the backend is chosen per deployment, in configuration.
///
/// ```swift
/// LMDBDataStore.register()
/// let store = try DataStores.open("lmdb:/var/lib/app")
/// ```
///
/// Linking a backend does not register it; the program says once, at its start, which ones it has.
///
/// The path extends to the first question mark, and is used literally, without percent-decoding. Options follow
/// the question mark, as in `lmdb:/var/lib/app?readonly=1&create=0`: `readonly` and `create` accept `1`, `0`, `true`,
/// `false`, `yes` and `no`, `durability` accepts `full` and `relaxed`, and `changelog` accepts the number of commits that the
/// store is to keep in its change log (``ChangeLogLength``), or `0`. They override the ``DataStoreOptions``
/// given in code, but a URL cannot make a store writable that the code opens read-only. Any other option is refused.
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
        let (scheme, location, text) = try parts(of: url)
        guard let factory = factories.withLock({ $0[scheme] }) else {
            throw DataStoreError(
                .invalidStoreURL, in: "open",
                """
                No backend is registered for “\(scheme):”; known here: \(knownSchemes). A backend's \
                register() makes it known.
                """)
        }
        var options = options
        if let text { try options.read(text, of: url) }
        return try factory(location, options)
    }

    /// The parts of a store's URL: its scheme, what stands behind it, and the options behind a question mark.
    package static func parts(
        of url: String
    ) throws(DataStoreError) -> (scheme: String, location: String, options: Substring?) {
        guard let colon = url.firstIndex(of: ":") else {
            throw DataStoreError(
                .invalidStoreURL, in: "open",
                "“\(url)” names no backend. Write SCHEME:PATH; known here: \(knownSchemes).")
        }
        let rest = url[url.index(after: colon)...].split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(url[..<colon]), String(rest[0]), rest.count == 2 ? rest[1] : nil)
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

extension DataStoreOptions {
    /// Takes over the options in a URL.
    fileprivate mutating func read(_ text: Substring, of url: String) throws(DataStoreError) {
        var seen: Set<Substring> = []
        for option in text.split(separator: "&", omittingEmptySubsequences: false) {
            let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let (name, value) = (parts[0], parts.count == 2 ? String(parts[1]) : "")
            guard seen.insert(name).inserted, set(name, to: value) else {
                throw DataStoreError(
                    .invalidStoreURL, in: "open",
                    """
                    “\(option)” in “\(url)” is no option of a store. Behind the “?” may stand, once each and \
                    with “&” between them: readonly=1 or 0, create=1 or 0, durability=full or relaxed, \
                    changelog=NUMBER of commits or 0. A path with a “?” in it cannot be written as a URL.
                    """)
            }
        }
    }

    private mutating func set(_ name: Substring, to value: String) -> Bool {
        let truth: [String: Bool] = [
            "1": true, "true": true, "yes": true, "0": false, "false": false, "no": false,
        ]
        switch name {
        case "readonly":
            guard let isOn = truth[value] else { return false }
            isReadOnly = isReadOnly || isOn
        case "create":
            guard let isOn = truth[value] else { return false }
            createsIfMissing = isOn
        case "durability":
            guard let level = Durability(rawValue: value) else { return false }
            durability = level
        case "changelog":
            guard let commits = Int(value), commits >= 0 else { return false }
            changeLog = commits == 0 ? .off : ChangeLogLength(commits: commits)
        default: return false
        }
        return true
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
    /// How much the store is to keep of its history, for streams of changes; `nil` for what it keeps already.
    public var changeLog: ChangeLogLength?
    /// On which thread the blocks of `read` and `writeSync` run.
    public var threading: DataStoreThreading
    /// Receives the failures of calls that cannot throw.
    public var errorHandler: DataStoreErrorHandler?

    /// Options; by default a durable store that is made if it is not there.
    public init(
        durability: Durability = .full, isReadOnly: Bool = false, createsIfMissing: Bool = true,
        changeLog: ChangeLogLength? = nil,
        threading: DataStoreThreading = .callingThread, errorHandler: DataStoreErrorHandler? = nil
    ) {
        self.durability = durability
        self.isReadOnly = isReadOnly
        self.createsIfMissing = createsIfMissing
        self.changeLog = changeLog
        self.threading = threading
        self.errorHandler = errorHandler
    }
}
