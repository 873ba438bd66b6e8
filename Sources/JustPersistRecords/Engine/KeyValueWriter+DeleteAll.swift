import JustPersist

extension KeyValueWriter {
    /// Deletes the keys in a range, and gives their number.
    ///
    /// In pieces, because a scan does not stand writes beside it. An error if the keys do not rise, or
    /// one is not found again: then some might stay unseen.
    func deleteAll(in range: KeyRange) throws(DataStoreError) -> Int {
        var deleted = 0
        var rest = range
        while true {
            var keys: [[UInt8]] = []
            try scan(rest, reversed: false) { (key, _) throws(DataStoreError) in
                keys.append(key.copied())
                return keys.count < 4096 ? .next : .stop
            }
            for key in keys {
                guard rest.contains(key), try delete(key) else {
                    throw DataStoreError(
                        .corrupted, in: "deleteAll",
                        """
                        The store's keys are out of order, so not all items of the type can be found. \
                        Nothing was deleted; verify the store, and restore it from a backup.
                        """)
                }
                deleted += 1
                rest = KeyRange(from: key + [0], upTo: range.upper)
            }
            if keys.count < 4096 { return deleted }
        }
    }
}
