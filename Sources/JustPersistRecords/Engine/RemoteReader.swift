public import JustPersist

/// A reader of a ``RemoteSnapshot`` that needs few round trips.
///
/// - Entries that were looked up or scanned are kept, up to a number of bytes: in a snapshot they cannot change.
/// - Keys and small ranges that ``prepare(keys:ranges:)`` names are looked up together.
/// - A scan asks for pages that become larger, and for the next page before it passes the entries of the present one.
public final class RemoteReader: KeyValueReader {
    private let snapshot: any RemoteSnapshot
    private var known = RemoteEntries()
    /// The last scan, if its body has ended it: often another one continues it.
    private var interruption: Scan?

    /// The most keys, or ranges, that are looked up together.
    static let mostTogether = 10_000
    /// The most entries of a range that is looked up together with others.
    private static let mostOfRange = 16
    private static let firstPage = 256
    fileprivate static let largestPage = 4_096

    /// A reader of a snapshot.
    public init(of snapshot: any RemoteSnapshot) throws(DataStoreError) {
        self.snapshot = snapshot
        if isEmpty { return }
        _ = try known.keep(snapshot.firstEntry)
        if let (keys, found) = snapshot.expected { try note(keys, found) }
    }

    /// `true`.
    public var isRemote: Bool { true }

    private var isEmpty: Bool { snapshot.firstEntry.count == 0 }

    // MARK: Look-ups

    /// Looks a key up, unless its entry is known.
    public func withValue(
        forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(DataStoreError) -> Void
    ) throws(DataStoreError) -> Bool {
        if isEmpty { return false }
        let key = [UInt8](copying: key)
        var entry = try known[key]
        if entry == nil {
            known.makeRoom()
            _ = try fetch([key], [])
            entry = try known[key]
        }
        return try pass(entry, body)
    }

    /// Looks keys up together.
    public func withValues(
        forKeys keys: [[UInt8]],
        _ body: (_ place: Int, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        if isEmpty { return }
        var start = 0
        while start < keys.count {
            let end = min(start + Self.mostTogether, keys.count)
            try prepare(keys: Array(keys[start..<end]), ranges: [])
            for place in start..<end {
                var entry = try known[keys[place]]
                // The answers had no room for all entries, or some were dropped since.
                if entry == nil {
                    known.makeRoom()
                    _ = try fetch(unknown(of: keys[place..<end]), [])
                    if try known[keys[place]] == nil { _ = try fetch([keys[place]], []) }
                    entry = try known[keys[place]]
                }
                var step = ScanStep.next
                _ = try pass(entry) { (value) throws(DataStoreError) in
                    step = try body(place, value)
                }
                if step == .stop { return }
            }
            start = end
        }
    }

    /// Looks up the entries that are not known, so that later calls find them, as far as there is room for them.
    public func prepare(keys: [[UInt8]], ranges: [KeyRange]) throws(DataStoreError) {
        if isEmpty { return }
        known.makeRoom()
        let unknown = try unknown(of: keys[...])
        var scans = ranges.filter { known.entries(in: $0) == nil }
        scans.sort { $0.lower.span.isOrdered(before: $1.lower.span) }
        var last: KeyRange?
        scans.removeAll { range in
            if let last, last.contains(range.lower) { return true }
            last = range
            return false
        }
        var start = 0
        while start < max(unknown.count, scans.count) {
            let end = start + Self.mostTogether
            var keys = Array(unknown[min(start, unknown.count)..<min(end, unknown.count)])
            var ranges = Array(scans[min(start, scans.count)..<min(end, scans.count)])
            while !keys.isEmpty || !ranges.isEmpty {
                keys = try fetch(keys, ranges)
                ranges = []
                guard known.hasRoom else { return }
            }
            start = end
        }
    }

    /// Those of some keys of which it is not known whether they exist, each once.
    private func unknown(of keys: ArraySlice<[UInt8]>) throws(DataStoreError) -> [[UInt8]] {
        var unknown: [[UInt8]] = []
        var isAscending = true
        for key in keys where try known[key] == nil {
            if let last = unknown.last, !last.span.isOrdered(before: key.span) {
                isAscending = false
            }
            unknown.append(key)
        }
        return isAscending ? unknown : Set(unknown.map(RemoteKey.init)).map(\.bytes)
    }

    /// Calls `body` with the value of an entry; returns false if there is none.
    private func pass(
        _ entry: RemoteEntries.Entry?, _ body: (Span<UInt8>) throws(DataStoreError) -> Void
    ) throws(DataStoreError) -> Bool {
        guard case .entry(let page, let place)? = entry else { return false }
        var isThere = false
        try page.withEntry(at: place) { (_, value) throws(DataStoreError) in
            guard let value else { return }
            isThere = true
            try body(value)
        }
        return isThere
    }

    /// Asks for entries once, and keeps the answer; returns the keys whose entries had no room in it.
    private func fetch(
        _ keys: [[UInt8]], _ ranges: [KeyRange]
    ) throws(DataStoreError) -> [[UInt8]] {
        let answer = try snapshot.entries(of: keys, inRanges: ranges, most: Self.mostOfRange + 1)
        let later = try note(keys, answer.found)
        try known.keep(answer.inRanges, of: ranges, most: Self.mostOfRange)
        return Array(later)
    }

    /// Keeps the answer to a question for keys; returns the keys whose entries had no room in it.
    @discardableResult private func note(
        _ keys: [[UInt8]], _ found: any KeyValuePage
    ) throws(DataStoreError) -> Set<[UInt8]> {
        let (sent, later) = try known.keep(found, of: keys)
        guard sent > 0 || later.isEmpty else {
            throw DataStoreError(
                .storageFailure, in: "read", "The server returned keys without their values.")
        }
        if sent + later.count < keys.count { known.noteAbsent(keys, except: later) }
        return later
    }

    // MARK: Scans

    /// Scans pages of keys and values.
    public func scan(
        _ range: KeyRange, reversed: Bool,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        try scan(range, reversed: reversed, isForKeys: false) {
            (key, value) throws(DataStoreError) in
            guard let value else { return .next }
            return try body(key, value)
        }
    }

    /// Scans pages of keys.
    public func scanKeys(
        _ range: KeyRange, reversed: Bool,
        _ body: (_ key: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        try scan(range, reversed: reversed, isForKeys: true) { (key, _) throws(DataStoreError) in
            try body(key)
        }
    }

    private func scan(
        _ range: KeyRange, reversed: Bool, isForKeys: Bool,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>?) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        if isEmpty { return }
        if let upper = range.upper, !range.lower.span.isOrdered(before: upper.span) { return }
        if let entries = known.entries(in: range) {
            for (page, place) in reversed ? entries.reversed() : entries {
                var step = ScanStep.next
                try page.withEntry(at: place) { (key, value) throws(DataStoreError) in
                    step = try body(key, value)
                }
                if step == .stop { return }
            }
            return
        }
        var scan: Scan
        if let last = interruption, last.isContinued(by: range, reversed, isForKeys) {
            scan = last
        } else {
            let request = PageRequest(
                range: range, isReversed: reversed, isForKeys: isForKeys, limit: Self.firstPage)
            scan = try Scan(page: snapshot.request(request).receive(), of: request)
            if !isForKeys { known.keepScanned(scan.page, isReversed: reversed) }
        }
        interruption = nil
        while true {
            // Not after the first page: often its entries are enough.
            if scan.next == nil, !scan.isFirst, !scan.isLast {
                scan.next = try snapshot.request(scan.rest)
            }
            while scan.place < scan.page.count {
                var step = ScanStep.next
                try scan.page.withEntry(at: scan.place) { (key, value) throws(DataStoreError) in
                    step = try body(key, value)
                }
                scan.place += 1
                if step == .stop {
                    interruption = scan
                    return
                }
            }
            if scan.isLast { return }
            if scan.next == nil { scan.next = try snapshot.request(scan.rest) }
            guard let next = scan.next else { return }
            scan = try Scan(page: next.receive(), of: scan.rest, isFirst: false)
            if !isForKeys { known.keepScanned(scan.page, isReversed: reversed) }
        }
    }

    /// A scan that has received a page.
    private struct Scan {
        let page: any KeyValuePage
        /// The next entry of the page.
        var place = 0
        /// The request for the entries that follow the page.
        let rest: PageRequest
        /// The page that follows, if it was requested.
        var next: (any PendingPage)?
        let isFirst: Bool

        init(
            page: any KeyValuePage, of request: PageRequest, isFirst: Bool = true
        ) throws(DataStoreError) {
            self.page = page
            self.isFirst = isFirst
            var rest = request
            if page.count > 0 {
                let last = try page.key(at: page.count - 1)
                rest.range =
                    request.isReversed
                    ? KeyRange(from: request.range.lower, upTo: last)
                    : KeyRange(from: last + [0], upTo: request.range.upper)
            }
            rest.limit = RemoteReader.largestPage
            self.rest = rest
        }

        var isLast: Bool { page.isLast || page.count == 0 }

        /// Whether a scan of a range begins with the entry after the last one that was passed.
        func isContinued(by range: KeyRange, _ reversed: Bool, _ isForKeys: Bool) -> Bool {
            guard reversed == rest.isReversed, isForKeys == rest.isForKeys, place > 0,
                let last = try? page.key(at: place - 1)
            else { return false }
            return reversed
                ? range.upper == last && range.lower == rest.range.lower
                : range.lower == last + [0] && range.upper == rest.range.upper
        }
    }
}

extension KeyValuePage {
    /// A copy of the key of an entry.
    func key(at place: Int) throws(DataStoreError) -> [UInt8] {
        var copy: [UInt8] = []
        try withEntry(at: place) { (key, _) throws(DataStoreError) in copy = [UInt8](copying: key) }
        return copy
    }
}
