public import JustPersist

/// An ordered map from byte keys to values, whose copies are snapshots.
///
/// Keys are ordered as ``KeyValueEngine`` orders them. Copying the map takes constant time. The first
/// change of a copy copies only the list of chunks and the one chunk that is changed. Looking up and
/// changing an entry takes logarithmic time, and keys that are added in ascending order are appended.
public struct OrderedKeyMap<Value> {
    // Two levels: chunks of sorted entries, none empty, in order. Keys and values are in parallel
    // arrays, so that the code of a search does not depend on the type of the values.
    private var keys: [SortedKeys] = []
    private var values: [[Value]] = []

    /// The number of entries.
    public private(set) var count = 0

    /// A map without entries.
    public init() {}

    /// Whether there are no entries.
    public var isEmpty: Bool { count == 0 }

    /// The value stored under `key`, if there is one.
    public func value(forKey key: Span<UInt8>) -> Value? {
        let place = lowerBound(of: key)
        return isEntry(at: place, for: key) ? value(at: place) : nil
    }

    /// Stores `value` under `key`, replacing an existing value.
    public mutating func setValue(_ value: Value, forKey key: Span<UInt8>) {
        var place = lowerBound(of: key)
        if isEntry(at: place, for: key) {
            values[place.chunk][place.index] = value
            return
        }
        count += 1
        if place == end {
            guard let last = keys.indices.last, keys[last].count < Self.chunkLimit else {
                // The full chunk is not split, so that ascending keys fill every chunk to its limit.
                var chunk = SortedKeys()
                chunk.insert(key, at: 0)
                keys.append(chunk)
                values.append([value])
                return
            }
            place = Position(chunk: last, index: keys[last].count)
        } else if keys[place.chunk].count == Self.chunkLimit {
            place = split(at: place)
        }
        keys[place.chunk].insert(key, at: place.index)
        values[place.chunk].insert(value, at: place.index)
    }

    /// Removes the entry of `key`, and returns its value if there was one.
    @discardableResult
    public mutating func removeValue(forKey key: Span<UInt8>) -> Value? {
        let place = lowerBound(of: key)
        guard isEntry(at: place, for: key) else { return nil }
        count -= 1
        keys[place.chunk].remove(at: place.index)
        let value = values[place.chunk].remove(at: place.index)
        mergeIfSmall(place.chunk)
        return value
    }

    /// Calls `body` with each entry in `range`, in ascending or descending order.
    ///
    /// An error of `body` ends the scan and is rethrown.
    public func scan(
        _ range: KeyRange, reversed: Bool = false,
        _ body: (_ key: Span<UInt8>, _ value: Value) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        var entries = slice(range, reversed: reversed)
        while let place = entries.next {
            let step = try keys[place.chunk].withKey(at: place.index) {
                (key) throws(DataStoreError) in
                try body(key, value(at: place))
            }
            if step == .stop { return }
            advance(&entries)
        }
    }

    /// Calls `body` with all entries, in ascending order.
    package func scanAll(_ body: (_ key: Span<UInt8>, _ value: Value) -> Void) {
        for chunk in keys.indices {
            for index in 0..<keys[chunk].count {
                keys[chunk].withKey(at: index) { body($0, values[chunk][index]) }
            }
        }
    }

    // MARK: Chunks

    /// Large enough to copy the list of chunks of a million entries in microseconds, and small enough to
    /// copy a chunk in microseconds.
    private static var chunkLimit: Int { 256 }

    private mutating func split(at place: Position) -> Position {
        let half = Self.chunkLimit / 2
        let upperKeys = keys[place.chunk].split(at: half)
        keys.insert(upperKeys, at: place.chunk + 1)
        let upperValues = Array(values[place.chunk][half...])
        values[place.chunk].removeSubrange(half...)
        values.insert(upperValues, at: place.chunk + 1)
        return place.index <= half
            ? place : Position(chunk: place.chunk + 1, index: place.index - half)
    }

    /// Merges a small chunk with a neighbor, so that many removals do not leave many tiny chunks.
    private mutating func mergeIfSmall(_ chunk: Int) {
        if keys[chunk].count == 0 {
            keys.remove(at: chunk)
            values.remove(at: chunk)
        } else if keys[chunk].count < Self.chunkLimit / 4, chunk + 1 < keys.count,
            keys[chunk + 1].count < Self.chunkLimit / 2
        {
            keys[chunk].append(keys.remove(at: chunk + 1))
            values[chunk] += values.remove(at: chunk + 1)
        }
    }
}

extension OrderedKeyMap: Sendable where Value: Sendable {}

// MARK: - Places

extension OrderedKeyMap {
    /// The place of an entry, until the map changes.
    struct Position: Comparable {
        var chunk: Int
        var index: Int

        static func < (a: Position, b: Position) -> Bool {
            a.chunk == b.chunk ? a.index < b.index : a.chunk < b.chunk
        }
    }

    /// The rest of a sequence of entries that is being scanned.
    struct Slice {
        fileprivate var lower: Position
        fileprivate var upper: Position
        let isReversed: Bool
        /// The next entry; `nil` after the last one.
        fileprivate(set) var next: Position?
    }

    func slice(_ range: KeyRange, reversed: Bool) -> Slice {
        let upper = range.upper.map { lowerBound(of: $0.span) } ?? end
        var slice = Slice(
            lower: lowerBound(of: range.lower.span), upper: upper, isReversed: reversed)
        slice.next = entry(nextIn: slice)
        return slice
    }

    func advance(_ slice: inout Slice) {
        guard let place = slice.next else { return }
        if slice.isReversed { slice.upper = place } else { slice.lower = position(after: place) }
        slice.next = entry(nextIn: slice)
    }

    /// Whether at most `limit` entries are left in a slice.
    func holds(atMost limit: Int, in slice: Slice) -> Bool {
        guard slice.lower < slice.upper else { return true }
        if slice.lower.chunk == slice.upper.chunk {
            return slice.upper.index - slice.lower.index <= limit
        }
        var count = keys[slice.lower.chunk].count - slice.lower.index + slice.upper.index
        for chunk in (slice.lower.chunk + 1)..<slice.upper.chunk where count <= limit {
            count += keys[chunk].count
        }
        return count <= limit
    }

    func withKey<R, E: Error>(
        at place: Position, _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        try keys[place.chunk].withKey(at: place.index, body)
    }

    func value(at place: Position) -> Value { values[place.chunk][place.index] }

    private var end: Position { Position(chunk: keys.count, index: 0) }

    private func entry(nextIn slice: Slice) -> Position? {
        guard slice.lower < slice.upper else { return nil }
        return slice.isReversed ? position(before: slice.upper) : slice.lower
    }

    private func position(after place: Position) -> Position {
        place.index + 1 < keys[place.chunk].count
            ? Position(chunk: place.chunk, index: place.index + 1)
            : Position(chunk: place.chunk + 1, index: 0)
    }

    private func position(before place: Position) -> Position {
        place.index > 0
            ? Position(chunk: place.chunk, index: place.index - 1)
            : Position(chunk: place.chunk - 1, index: keys[place.chunk - 1].count - 1)
    }

    /// The first entry whose key is not less than `key`.
    private func lowerBound(of key: Span<UInt8>) -> Position {
        let chunks = keys.span
        guard !chunks.isEmpty, !chunks[chunks.count - 1].isLastKey(before: key) else { return end }
        var low = 0
        var high = chunks.count - 1
        while low < high {
            let middle = (low + high) / 2
            if chunks[middle].isLastKey(before: key) { low = middle + 1 } else { high = middle }
        }
        return Position(chunk: low, index: chunks[low].lowerBound(of: key))
    }

    private func isEntry(at place: Position, for key: Span<UInt8>) -> Bool {
        place.chunk < keys.count && keys[place.chunk].isKey(at: place.index, equalTo: key)
    }
}
