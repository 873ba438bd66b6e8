import JustPersist

/// The writer of a block of a child store, which collects the changed records.
final class ChildTransaction: KeyValueWriter {
    private let overlay: KeyValueOverlay
    private var touched: Set<RecordName> = []

    private struct RecordName: Hashable {
        let type: UInt32
        let id: ItemID
    }

    init(over base: any KeyValueReader, _ keys: OrderedKeyMap<[UInt8]?>) {
        overlay = KeyValueOverlay(over: base, changes: keys)
    }

    var changes: OrderedKeyMap<[UInt8]?> { overlay.changes }

    /// The changes of records that the block has made.
    func differences(
        from before: OrderedKeyMap<[UInt8]?>, over base: any KeyValueReader
    ) throws(DataStoreError) -> [ChildChanges.Difference] {
        let found = KeyValueOverlay(over: base, changes: before)
        var differences: [ChildChanges.Difference] = []
        for name in touched {
            var key = RecordKey(type: name.type)
            key.set(name.id)
            differences.append(
                ChildChanges.Difference(
                    key: key.bytes, old: try PartialRecord(of: key.bytes, in: found),
                    new: try PartialRecord(of: key.bytes, in: overlay)))
        }
        return differences
    }

    private func note(_ key: Span<UInt8>) {
        if let (type, id) = RecordKey.parts(of: key) {
            touched.insert(RecordName(type: type, id: id))
        }
    }

    func put(_ value: Span<UInt8>, forKey key: Span<UInt8>) throws(DataStoreError) {
        note(key)
        try overlay.put(value, forKey: key)
    }

    func delete(_ key: Span<UInt8>) throws(DataStoreError) -> Bool {
        note(key)
        return try overlay.delete(key)
    }

    func withValue(
        forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(DataStoreError) -> Void
    ) throws(DataStoreError) -> Bool { try overlay.withValue(forKey: key, body) }

    var isRemote: Bool { overlay.isRemote }

    func prepare(keys: [[UInt8]], ranges: [KeyRange]) throws(DataStoreError) {
        try overlay.prepare(keys: keys, ranges: ranges)
    }

    func remove(_ key: Span<UInt8>) throws(DataStoreError) {
        note(key)
        try overlay.remove(key)
    }

    func withValues(
        forKeys keys: [[UInt8]],
        _ body: (_ place: Int, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) { try overlay.withValues(forKeys: keys, body) }

    func scan(
        _ range: KeyRange, reversed: Bool,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) { try overlay.scan(range, reversed: reversed, body) }

    func scanKeys(
        _ range: KeyRange, reversed: Bool,
        _ body: (_ key: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) { try overlay.scanKeys(range, reversed: reversed, body) }
}
