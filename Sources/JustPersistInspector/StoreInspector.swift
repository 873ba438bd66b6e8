public import JustPersist

/// Shows stores in a browser: their types, items, queries, differences and bytes.
///
/// ```swift
/// let session = try await StoreInspector(store).start()
/// print(session.url)
/// await session.waitUntilStopped()
/// ```
///
/// The inspector runs until its session is stopped or released. The store stays open and in use; stop the session before you
/// close it. This is the way to look into a store in memory, or into a LevelDB store, while a
/// program has it open.
///
/// The page is served on the loopback interface alone, to clients that have the token in its URL. Nothing in a store is
/// changed, unless ``allowsChanges`` is set. See <doc:InspectingAStore>.
public struct StoreInspector: Sendable {
    /// A store with the name under which the page shows it.
    public struct NamedStore: Sendable {
        /// The name, which everyone with the page can read.
        public let name: String
        /// The store, which must be open.
        public let store: any DataStore

        /// A store with a name.
        public init(_ name: String, _ store: any DataStore) {
            self.name = name
            self.store = store
        }
    }

    private let stores: [NamedStore]
    /// The port on the loopback interface; 0 for any that is free.
    public var port: UInt16 = 0
    /// The attributes whose values are not shown: `Type.attribute`, or `Type.*` for all of a type.
    ///
    /// The page shows the lengths of their values. Queries about them, exports of their types, and bytes of the store are
    /// refused. A former name stands for the present one. A name that does not exist is an error at the start.
    public var hiddenAttributes: [String] = []
    /// Whether pages can change items, after a preview; otherwise nothing in a store is changed.
    public var allowsChanges = false
    /// The time without a request with the token after which the inspector stops; open event streams do not count.
    public var idleTime = Duration.seconds(8 * 3600)
    /// The limits of a client.
    package var limits = InspectorLimits()

    /// An inspector of an open store.
    public init(_ store: any DataStore, name: String = "store") {
        stores = [NamedStore(name, store)]
    }

    /// An inspector of several open stores, which the page can compare.
    public init(_ first: NamedStore, _ others: NamedStore...) { stores = [first] + others }

    /// An inspector of several open stores; `nil` if there are none.
    public init?(_ stores: [NamedStore]) {
        if stores.isEmpty { return nil }
        self.stores = stores
    }

    /// Begins to serve the page, until the session is stopped or released.
    ///
    /// - Throws: `.storageFailure` if the port cannot be opened, `.invalidRequest` for a hidden attribute that does not exist.
    public func start() async throws -> InspectorSession {
        var types: [Redaction.TypeNames] = []
        if !hiddenAttributes.isEmpty {
            for store in stores {
                types += try await store.store.read { db in try StoreView.names(db) }
            }
        }
        let redaction = try Redaction(hiddenAttributes, types: types)
        let server = try InspectorServer(port: port, limits: limits)
        let views = stores.map {
            StoreView(store: $0.store, name: $0.name, redaction: redaction)
        }
        return InspectorSession(
            server,
            Inspector(
                views, port: server.port, allowsChanges: allowsChanges, limits: limits),
            idleTime: idleTime)
    }
}
