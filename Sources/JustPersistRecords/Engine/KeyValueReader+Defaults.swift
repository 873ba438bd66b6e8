public import JustPersist

extension KeyValueReader {
    /// No number.
    public var snapshotNumber: UInt64? { nil }

    /// `false`: a look-up is cheap.
    public var isRemote: Bool { false }

    /// The number of records to look up together, of which the caller may not need all.
    var batchSize: Int { isRemote ? 4_096 : 256 }

    /// Does nothing.
    public func prepare(keys: [[UInt8]], ranges: [KeyRange]) throws(DataStoreError) {}

    /// Scans keys and values, and ignores the values.
    public func scanKeys(
        _ range: KeyRange, reversed: Bool,
        _ body: (_ key: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        try scan(range, reversed: reversed) { (key, _) throws(DataStoreError) in try body(key) }
    }

    /// Looks up one key after the other.
    public func withValues(
        forKeys keys: [[UInt8]],
        _ body: (_ place: Int, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        for (place, key) in keys.enumerated() {
            var step = ScanStep.next
            _ = try withValue(forKey: key.span) { (value) throws(DataStoreError) in
                step = try body(place, value)
            }
            if step == .stop { return }
        }
    }
}
