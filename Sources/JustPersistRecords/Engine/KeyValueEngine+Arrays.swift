import JustPersist

/// Overloads that take keys and values as arrays.
extension KeyValueReader {
    func withValue(
        forKey key: [UInt8], _ body: (Span<UInt8>) throws(DataStoreError) -> Void
    ) throws(DataStoreError) -> Bool {
        try withValue(forKey: key.span, body)
    }
}

extension KeyValueWriter {
    func put(_ value: [UInt8], forKey key: [UInt8]) throws(DataStoreError) {
        try put(value.span, forKey: key.span)
    }

    func delete(_ key: [UInt8]) throws(DataStoreError) -> Bool {
        try delete(key.span)
    }
}
