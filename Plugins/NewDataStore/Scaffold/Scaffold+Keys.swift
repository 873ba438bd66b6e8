extension Scaffold {
    /// The snapshot and the transaction of an engine of keys and values.
    var keyTransaction: String {
        """
        import JustPersist
        import JustPersistRecords

        /// One snapshot of the engine: reading by key, and by ranges of keys in the order of their bytes.
        class \(name)Snapshot: KeyValueReader {
            /// Takes the snapshot, or for a transaction begins it.
            init(of engine: \(name)Engine) throws(DataStoreError) {
                throw \(name)Engine.unfilled("snapshot")
            }

            /// Gives the snapshot up, and whatever of a transaction was not committed.
            func end() {}

            /// Calls `body` with the value of `key`, uncopied if you can, and returns whether there is one.
            ///
            /// `body` may look up keys and scan.
            func withValue(
                forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(DataStoreError) -> Void
            ) throws(DataStoreError) -> Bool { throw \(name)Engine.unfilled() }

            /// Calls `body` with the keys from `range.lower` up to, not including, `range.upper`.
            ///
            /// `body` may look up keys and scan in turn: give each scan a cursor of its own.
            func scan(
                _ range: KeyRange, reversed: Bool,
                _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
            ) throws(DataStoreError) { throw \(name)Engine.unfilled() }
        }

        /// One open transaction; it reads what it has written.
        ///
        /// If \(name) has no transactions, delete this class, give `body` a `KeyValueOverlay` over a snapshot, and write
        /// its `changes` in one atomic batch: each is a key and its new value, `nil` if it was deleted.
        final class \(name)Transaction: \(name)Snapshot, KeyValueWriter {
            /// Stores `value` under `key`, in place of what was there.
            func put(_ value: Span<UInt8>, forKey key: Span<UInt8>) throws(DataStoreError) {
                throw \(name)Engine.unfilled()
            }

            /// Removes `key`, and returns whether it was there.
            func delete(_ key: Span<UInt8>) throws(DataStoreError) -> Bool {
                throw \(name)Engine.unfilled()
            }

            /// Makes all changes visible and durable, or throws and makes none.
            func commit() throws(DataStoreError) { throw \(name)Engine.unfilled() }
        }
        """
    }
}
