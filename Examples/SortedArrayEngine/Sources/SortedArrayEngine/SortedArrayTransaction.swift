import JustPersist
import JustPersistRecords

/// The entries that one block reads, and in a write block those that it changes.
final class SortedArrayTransaction: KeyValueWriter {
    private(set) var entries: [SortedArrayEngine.Entry]

    init(_ entries: [SortedArrayEngine.Entry]) { self.entries = entries }

    func withValue(
        forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(DataStoreError) -> Void
    ) throws(DataStoreError) -> Bool {
        let (place, isThere) = find([UInt8](key))
        guard isThere else { return false }
        let value = entries[place].value
        try body(value.span)
        return true
    }

    func scan(
        _ range: KeyRange, reversed: Bool,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        let lower = find(range.lower).place
        let upper = range.upper.map { find($0).place } ?? entries.endIndex
        guard lower < upper else { return }
        let found = entries[lower..<upper]
        for entry in reversed ? Array(found.reversed()) : Array(found) {
            let (key, value) = (entry.key, entry.value)
            if try body(key.span, value.span) == .stop { return }
        }
    }

    func put(_ value: Span<UInt8>, forKey key: Span<UInt8>) {
        let entry = SortedArrayEngine.Entry(key: [UInt8](key), value: [UInt8](value))
        let (place, isThere) = find(entry.key)
        if isThere { entries[place] = entry } else { entries.insert(entry, at: place) }
    }

    func delete(_ key: Span<UInt8>) -> Bool {
        let (place, isThere) = find([UInt8](key))
        if isThere { entries.remove(at: place) }
        return isThere
    }

    /// The place of the first entry that is not below a key, and whether it has that key.
    private func find(_ key: [UInt8]) -> (place: Int, isThere: Bool) {
        var (lower, upper) = (entries.startIndex, entries.endIndex)
        while lower < upper {
            let middle = (lower + upper) / 2
            if entries[middle].key.lexicographicallyPrecedes(key) {
                lower = middle + 1
            } else {
                upper = middle
            }
        }
        return (lower, lower < entries.endIndex && entries[lower].key == key)
    }
}

extension [UInt8] {
    fileprivate init(_ span: Span<UInt8>) {
        self.init()
        reserveCapacity(span.count)
        for index in span.indices { append(span[index]) }
    }
}
