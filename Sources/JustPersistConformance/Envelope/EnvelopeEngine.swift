public import JustPersist
public import JustPersistRecords

/// An engine over an ``EnvelopeServer``: a store with the limits and faults of a distributed database, in memory.
///
/// ```swift
/// let server = EnvelopeServer(faults: .init(conflicts: 50, unknownOutcomes: 20, seed: 7))
/// let store = RecordStore(engine: EnvelopeEngine(server), limits: server.limits.ofStore)
/// ```
///
/// Each question to the server counts as a round trip, so the engine also shows how a store asks a server. Several engines
/// over one server are like several processes. A server drops its data when its last engine is closed.
public final class EnvelopeEngine: KeyValueEngine {
    /// The server that keeps the data.
    public let server: EnvelopeServer
    private let isOpen = Locked(false)

    /// A closed engine.
    public init(_ server: EnvelopeServer = EnvelopeServer()) { self.server = server }

    /// The engine's features: blocks do not share transactions, because these are small.
    public var traits: KeyValueEngineTraits {
        KeyValueEngineTraits(
            name: "Envelope", isPersistent: false, durability: .relaxed, maximumKeyLength: 511,
            hasSmallTransactions: server.limits.transactionBytes < 1 << 30)
    }

    /// Connects to the server.
    public func open() throws(DataStoreError) {
        isOpen.withLock { isOpen in
            if !isOpen { server.connect() }
            isOpen = true
        }
    }

    /// Ends the connection.
    public func close() {
        isOpen.withLock { isOpen in
            if isOpen { server.disconnect() }
            isOpen = false
        }
    }

    /// Deletes everything on the server.
    public func destroy() throws(DataStoreError) { server.erase() }

    /// Runs `body` on a snapshot, which it can read for a limited time.
    ///
    /// - Throws: The error of `body`; `.connectionLost`; or `.snapshotExpired`.
    public func read(_ body: (any KeyValueReader) throws -> Void) throws {
        try checkOpen("read")
        try body(RemoteReader(of: EnvelopeSnapshot(server.begin("read"), server)))
    }

    /// Runs `body` on a snapshot, and commits its changes together.
    ///
    /// - Throws: The error of `body`; `.connectionLost`, `.snapshotExpired`, `.transactionTooLarge`, `.limitExceeded` or `.conflict`, after
    ///   which nothing has changed; or `.commitOutcomeUnknown`.
    public func write(_ body: (any KeyValueWriter) throws -> Void) throws {
        try checkOpen("write")
        let transaction = try server.begin("write")
        let overlay = KeyValueOverlay(
            over: try RemoteReader(of: EnvelopeSnapshot(transaction, server)))
        try body(overlay)
        if overlay.changes.isEmpty { return }
        var largest = 0
        overlay.changes.scanAll { (_, value) in largest = max(largest, value?.count ?? 0) }
        guard largest <= server.limits.valueBytes else {
            throw DataStoreError(
                .limitExceeded, in: "write",
                """
                The block writes an entry of \(largest) bytes, and the server accepts \(server.limits.valueBytes). Nothing \
                was changed; store less in an item.
                """)
        }
        try server.commit(transaction, overlay.changes)
    }

    private func checkOpen(_ operation: String) throws(DataStoreError) {
        if !isOpen.withLock({ $0 }) { throw .notSetUp(in: operation) }
    }
}

/// A snapshot of the server, whose answers are limited.
private final class EnvelopeSnapshot: RemoteSnapshot {
    private let transaction: EnvelopeServer.Transaction
    private let server: EnvelopeServer
    let firstEntry: any KeyValuePage

    init(_ transaction: EnvelopeServer.Transaction, _ server: EnvelopeServer) {
        self.transaction = transaction
        self.server = server
        firstEntry = Page(transaction.entries, .all, isReversed: false, limit: 1)
    }

    func entries(
        of keys: [[UInt8]], inRanges ranges: [KeyRange], most: Int
    ) throws(DataStoreError) -> (found: any KeyValuePage, inRanges: any KeyValuePage) {
        try server.request(transaction)
        let found = Page()
        var bytes = 0
        for key in keys {
            guard let value = transaction.entries.value(forKey: key.span) else { continue }
            found.rows.append((key, bytes < server.limits.answerBytes ? value : nil))
            bytes += value.count
        }
        let inRanges = Page()
        for range in ranges {
            inRanges.rows += Page(transaction.entries, range, isReversed: false, limit: most).rows
        }
        return (found, inRanges)
    }

    func request(_ request: PageRequest) throws(DataStoreError) -> any PendingPage {
        try server.request(transaction)
        return Pending(
            Page(
                transaction.entries, request.range, isReversed: request.isReversed,
                limit: min(request.limit, server.limits.pageLength)))
    }

    private final class Pending: PendingPage {
        private let page: Page

        init(_ page: Page) { self.page = page }

        func receive() -> any KeyValuePage { page }
    }

    private final class Page: KeyValuePage {
        var rows: [(key: [UInt8], value: [UInt8]?)] = []
        var isLast = true

        init() {}

        init(_ entries: OrderedKeyMap<[UInt8]>, _ range: KeyRange, isReversed: Bool, limit: Int) {
            do throws(DataStoreError) {
                try entries.scan(range, reversed: isReversed) {
                    (key, value) throws(DataStoreError) in
                    rows.append(([UInt8](copying: key), value))
                    return rows.count < limit ? .next : .stop
                }
            } catch {}
            isLast = rows.count < limit
        }

        var count: Int { rows.count }
        var byteCount: Int { rows.reduce(0) { $0 + $1.key.count + ($1.value?.count ?? 0) } }

        func withEntry(
            at place: Int,
            _ body: (Span<UInt8>, Span<UInt8>?) throws(DataStoreError) -> Void
        ) throws(DataStoreError) {
            let (key, value) = rows[place]
            if let value { try body(key.span, value.span) } else { try body(key.span, nil) }
        }
    }
}
