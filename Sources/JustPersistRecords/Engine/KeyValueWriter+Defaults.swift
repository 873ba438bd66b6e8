public import JustPersist

extension KeyValueWriter {
    /// Does nothing.
    public func noteLoad() {}

    /// Deletes the key, and ignores whether it existed.
    public func remove(_ key: Span<UInt8>) throws(DataStoreError) { _ = try delete(key) }

    /// `false`: some of its changes may have been written.
    public var undoesFailedSavepoints: Bool { false }

    /// Deletes the keys one by one.
    ///
    /// The keys are collected in batches first, because no writes are allowed during a scan. On a server they are not
    /// looked up again.
    ///
    /// - Throws: `.corrupted` if the keys are out of order, or a key is not found again: the scan could have missed
    ///   others.
    public func deleteAll(in range: KeyRange) throws(DataStoreError) -> Int {
        let isRemote = isRemote
        var deleted = 0
        var rest = range
        while true {
            var keys: [[UInt8]] = []
            try scanKeys(rest, reversed: false) { (key) throws(DataStoreError) in
                keys.append(key.copied())
                return keys.count < 4096 ? .next : .stop
            }
            for key in keys {
                var isFound = rest.contains(key)
                if isFound {
                    if isRemote { try remove(key.span) } else { isFound = try delete(key) }
                }
                guard isFound else { throw DataStoreError.keysOutOfOrder(in: "deleteAll") }
                deleted += 1
                rest = KeyRange(from: key + [0], upTo: range.upper)
            }
            if keys.count < 4096 { return deleted }
        }
    }

    /// Collects the changes of `body` separately, and writes them after it has returned.
    public func withSavepoint(_ body: (any KeyValueWriter) throws -> Void) throws {
        let overlay = KeyValueOverlay(over: self)
        try body(overlay)
        try overlay.changes.scan(.all) { (key, value) throws(DataStoreError) in
            if let value { try put(value.span, forKey: key) } else { try remove(key) }
            return .next
        }
    }
}

extension DataStoreError {
    /// The error for deleting a range whose keys are out of order, so that a scan could miss some of them.
    public static func keysOutOfOrder(in operation: String) -> DataStoreError {
        DataStoreError(
            .corrupted, in: operation,
            """
            The store's keys are out of order, so not all items of the type can be found. Nothing was deleted; \
            verify the store, and restore it from a backup.
            """)
    }
}
