import JustPersist

/// The entries of a snapshot that are known, by key, in pages of scans, and in ranges.
struct RemoteEntries {
    /// What is known of a key.
    enum Entry {
        case absent
        case entry(any KeyValuePage, at: Int)
    }

    typealias Place = (page: any KeyValuePage, place: Int)

    private struct Range {
        let range: KeyRange
        var entries: [Place] = []
    }

    private var byKey: [RemoteKey: Entry] = [:]
    /// Pages of scans, the latest last.
    private var pages: [(page: any KeyValuePage, isReversed: Bool)] = []
    /// Ranges whose entries are all known, in ascending order.
    private var ranges: [Range] = []
    private var bytes = 0

    /// The number of bytes of entries that are kept.
    private static let mostBytes = 16 << 20
    /// The number of pages that a look-up searches.
    private static let mostPages = 64

    /// The entry of a key; `nil` if it is not known.
    subscript(key: [UInt8]) -> Entry? {
        get throws(DataStoreError) {
            if let entry = byKey[RemoteKey(bytes: key)] { return entry }
            for (page, isReversed) in pages.reversed() {
                if let place = try page.place(of: key, isReversed: isReversed) {
                    return .entry(page, at: place)
                }
            }
            return nil
        }
    }

    /// All entries in a range, in ascending order; `nil` if they are not known.
    func entries(in range: KeyRange) -> [Place]? {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            let (key, lower) = (range.lower, ranges[middle].range.lower)
            if key.span.isOrdered(before: lower.span) {
                high = middle
            } else {
                low = middle + 1
            }
        }
        guard low > 0 else { return nil }
        let found = ranges[low - 1]
        guard found.range.intersection(range) == range else { return nil }
        return found.entries.filter { place in
            (try? place.page.key(at: place.place)).map(range.contains) ?? false
        }
    }

    /// Whether further entries may be kept.
    var hasRoom: Bool { bytes <= Self.mostBytes }

    /// Drops all entries if they need too much memory.
    mutating func makeRoom() {
        if !hasRoom { self = RemoteEntries() }
    }

    /// Keeps the entries of an answer; returns how many keys were sent with a value, and those that were sent without.
    ///
    /// - Parameter keys: The keys that were asked for. If they and the answer are ascending, no key is copied.
    mutating func keep(
        _ page: any KeyValuePage, of keys: [[UInt8]] = []
    ) throws(DataStoreError) -> (sent: Int, later: Set<[UInt8]>) {
        var later: Set<[UInt8]> = []
        var asked = keys[...]
        for place in 0..<page.count {
            try page.withEntry(at: place) { (found, value) throws(DataStoreError) in
                var order = KeyOrder.after
                while let first = asked.first {
                    order = found.order(against: first.span)
                    if order != .after { break }
                    asked = asked.dropFirst()
                }
                let key = order == .same ? asked[asked.startIndex] : [UInt8](copying: found)
                if value == nil {
                    later.insert(key)
                } else {
                    byKey[RemoteKey(bytes: key)] = .entry(page, at: place)
                }
            }
        }
        bytes += page.byteCount
        return (page.count - later.count, later)
    }

    /// Notes that those keys are absent that were not sent.
    mutating func noteAbsent(_ keys: [[UInt8]], except later: Set<[UInt8]>) {
        for key in keys where byKey[RemoteKey(bytes: key)] == nil && !later.contains(key) {
            byKey[RemoteKey(bytes: key)] = .absent
            bytes += 2 * key.count
        }
    }

    /// Keeps a page of a scan, and drops earlier ones if they need too much memory.
    mutating func keepScanned(_ page: any KeyValuePage, isReversed: Bool) {
        pages.append((page, isReversed))
        bytes += page.byteCount
        while pages.count > Self.mostPages || bytes > Self.mostBytes, pages.count > 1 {
            bytes -= pages.removeFirst().page.byteCount
        }
    }

    /// Keeps the entries of ranges, apart from ranges that have more than `most`.
    mutating func keep(
        _ page: any KeyValuePage, of ranges: [KeyRange], most: Int
    ) throws(DataStoreError) {
        if ranges.isEmpty { return }
        var found = ranges.map { Range(range: $0) }
        var number = 0
        for place in 0..<page.count {
            let key = try page.key(at: place)
            while number < found.count, !found[number].range.contains(key) { number += 1 }
            guard number < found.count else { break }
            found[number].entries.append((page, place))
        }
        bytes += page.byteCount
        self.ranges += found.filter { $0.entries.count <= most }
        self.ranges.sort { $0.range.lower.span.isOrdered(before: $1.range.lower.span) }
    }
}

/// A key, whose bytes are hashed together: an array hashes them one by one.
struct RemoteKey: Hashable {
    let bytes: [UInt8]

    func hash(into hasher: inout Hasher) {
        // SAFETY: the buffer is read inside the closure only.
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}

extension KeyValuePage {
    /// The place of a key in a page in the order of the keys; `nil` if it is not there.
    fileprivate func place(of key: [UInt8], isReversed: Bool) throws(DataStoreError) -> Int? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            var order = KeyOrder.same
            try withEntry(at: middle) { (other, _) throws(DataStoreError) in
                order = key.span.order(against: other)
            }
            if order == .same { return middle }
            if (order == .before) != isReversed { high = middle } else { low = middle + 1 }
        }
        return nil
    }
}
