/// A short, sorted list of keys in one buffer, which needs one allocation and no indirection for a comparison.
struct SortedKeys {
    private var bytes: [UInt8] = []
    /// Where each key ends in ``bytes``.
    private var ends: [Int] = []

    var count: Int { ends.count }

    private func bounds(of index: Int) -> Range<Int> {
        (index == 0 ? 0 : ends[index - 1])..<ends[index]
    }

    func withKey<R, E: Error>(at index: Int, _ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try body(bytes.span.extracting(bounds(of: index)))
    }

    /// Whether all keys are less than `key`.
    func isLastKey(before key: Span<UInt8>) -> Bool {
        bytes.span.extracting(bounds(of: count - 1)).isOrdered(before: key)
    }

    /// Whether the key at `index` is `key`.
    func isKey(at index: Int, equalTo key: Span<UInt8>) -> Bool {
        bytes.span.extracting(bounds(of: index)).order(against: key) == .same
    }

    /// The index of the first key that is not less than `key`; ``count`` if there is none.
    func lowerBound(of key: Span<UInt8>) -> Int {
        let bytes = bytes.span
        let ends = ends.span
        var low = 0
        var high = ends.count
        while low < high {
            let middle = (low + high) / 2
            let stored = bytes.extracting((middle == 0 ? 0 : ends[middle - 1])..<ends[middle])
            if stored.isOrdered(before: key) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    mutating func insert(_ key: Span<UInt8>, at index: Int) {
        let start = index == 0 ? 0 : ends[index - 1]
        if index == count {
            bytes.append(addingCapacity: key.count) { $0.append(copying: key) }
            ends.append(bytes.count)
        } else {
            bytes.insert(contentsOf: [UInt8](copying: key), at: start)
            ends.insert(start, at: index)
            for later in index..<ends.count { ends[later] += key.count }
        }
    }

    mutating func remove(at index: Int) {
        let bounds = bounds(of: index)
        bytes.removeSubrange(bounds)
        ends.remove(at: index)
        for later in index..<ends.count { ends[later] -= bounds.count }
    }

    /// Removes the keys from `index` on, and returns them.
    mutating func split(at index: Int) -> SortedKeys {
        let start = index == 0 ? 0 : ends[index - 1]
        var tail = SortedKeys()
        tail.bytes = Array(bytes[start...])
        tail.ends = ends[index...].map { $0 - start }
        bytes.removeSubrange(start...)
        ends.removeSubrange(index...)
        return tail
    }

    /// Appends keys that are all greater than the last one.
    mutating func append(_ tail: SortedKeys) {
        let start = bytes.count
        bytes += tail.bytes
        ends += tail.ends.map { $0 + start }
    }
}
