import JustPersist
import JustPersistRecords

/// An engine in memory that counts round trips, as if a server kept the data.
final class CountingEngine: KeyValueEngine {
    let traits = KeyValueEngineTraits(name: "Counting", isPersistent: false)

    private let committed = Locked(OrderedKeyMap<[UInt8]>())
    private let trips = Locked(0)
    /// The most bytes of values in an answer, apart from the first value.
    fileprivate let answerBytes: Int
    /// The most entries of a page.
    fileprivate let pageLength: Int

    init(answerBytes: Int = 4 << 20, pageLength: Int = 4_096) {
        self.answerBytes = answerBytes
        self.pageLength = pageLength
    }

    func open() {}
    func close() { destroy() }
    func destroy() { committed.withLock { $0 = OrderedKeyMap() } }

    /// The number of round trips that `body` takes.
    func trips(of body: () throws -> Void) rethrows -> Int {
        trips.withLock { $0 = 0 }
        try body()
        return trips.withLock { $0 }
    }

    fileprivate func note() { trips.withLock { $0 += 1 } }

    /// Beginning a transaction takes one round trip.
    func read(_ body: (any KeyValueReader) throws -> Void) throws {
        note()
        try body(RemoteReader(of: Snapshot(committed.withLock { $0 }, self)))
    }

    /// So does its commit, together with all changes.
    func write(_ body: (any KeyValueWriter) throws -> Void) throws {
        note()
        var entries = committed.withLock { $0 }
        let overlay = KeyValueOverlay(over: try RemoteReader(of: Snapshot(entries, self)))
        try body(overlay)
        if overlay.changes.isEmpty { return }
        note()
        try overlay.changes.scan(.all) { (key, value) throws(DataStoreError) in
            if let value {
                entries.setValue(value, forKey: key)
            } else {
                entries.removeValue(forKey: key)
            }
            return .next
        }
        committed.withLock { $0 = entries }
    }

    private final class Snapshot: RemoteSnapshot {
        private let entries: OrderedKeyMap<[UInt8]>
        private let engine: CountingEngine
        let firstEntry: any KeyValuePage

        init(_ entries: OrderedKeyMap<[UInt8]>, _ engine: CountingEngine) {
            self.entries = entries
            self.engine = engine
            firstEntry = Page(entries, .all, isReversed: false, limit: 1)
        }

        func entries(
            of keys: [[UInt8]], inRanges ranges: [KeyRange], most: Int
        ) -> (found: any KeyValuePage, inRanges: any KeyValuePage) {
            engine.note()
            let found = Page()
            var bytes = 0
            for key in keys {
                guard let value = entries.value(forKey: key.span) else { continue }
                found.rows.append((key, bytes < engine.answerBytes ? value : nil))
                bytes += value.count
            }
            let inRanges = Page()
            for range in ranges {
                inRanges.rows += Page(entries, range, isReversed: false, limit: most).rows
            }
            return (found, inRanges)
        }

        func request(_ request: PageRequest) -> any PendingPage {
            engine.note()
            return Pending(
                Page(
                    entries, request.range, isReversed: request.isReversed,
                    limit: min(request.limit, engine.pageLength)))
        }
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
            // The map scans upwards only.
            try? entries.scan(range) { (key, value) throws(DataStoreError) in
                rows.append(([UInt8](copying: key), value))
                return isReversed || rows.count < limit ? .next : .stop
            }
            if isReversed { rows = Array(rows.reversed().prefix(limit)) }
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
