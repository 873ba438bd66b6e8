import JustPersist

extension KeyValueWriter {
    /// Deletes the keys in a range, and gives their number.
    ///
    /// In pieces, because a scan does not stand writes beside it.
    func deleteAll(in range: KeyRange) throws(DataStoreError) -> Int {
        var deleted = 0
        var rest = range
        while true {
            var keys: [[UInt8]] = []
            try scan(rest, reversed: false) { (key, _) throws(DataStoreError) in
                keys.append(key.copied())
                return keys.count < 4096 ? .next : .stop
            }
            for key in keys where try delete(key) { deleted += 1 }
            guard keys.count == 4096, let last = keys.last else { return deleted }
            rest = KeyRange(from: last, upTo: range.upper)
        }
    }
}
