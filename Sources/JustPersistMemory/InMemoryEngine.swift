public import JustPersist
public import JustPersistRecords

/// An engine that keeps everything in memory, for tests, previews and caches.
///
/// It is transactional like the other engines: readers hold snapshots, which are taken in constant time, and a write
/// that throws changes nothing. ``close()`` drops the data. The engine can be used from any thread, under the rules of
/// `KeyValueEngine`.
public final class InMemoryEngine: KeyValueEngine {
    /// The committed state; `nil` while the engine is closed.
    private let committed = Locked<OrderedKeyMap<[UInt8]>?>(nil)

    /// An engine that is closed and empty.
    public init() {}

    /// The engine's features and guarantees.
    public var traits: KeyValueEngineTraits {
        KeyValueEngineTraits(
            name: "Memory", isPersistent: false, durability: .relaxed, maximumKeyLength: 511)
    }

    /// Opens the engine, empty.
    public func open() throws(DataStoreError) {
        committed.withLock { entries in
            if entries == nil { entries = OrderedKeyMap() }
        }
    }

    /// Closes the engine and drops its data.
    public func close() {
        committed.withLock { $0 = nil }
    }

    /// Does nothing: a closed engine keeps no data.
    public func destroy() throws(DataStoreError) {}

    /// Does nothing: memory is freed when items are deleted.
    public func compact(_ meter: MaintenanceMeter) throws -> CompactionReport {
        _ = try snapshot(in: "compact")
        return CompactionReport(bytesBefore: 0, bytesAfter: 0)
    }

    /// Runs `body` on a snapshot.
    ///
    /// Taking it costs constant time, whatever the store's size.
    public func read(_ body: (any KeyValueReader) throws -> Void) throws {
        try body(InMemorySnapshot(of: snapshot(in: "read")))
    }

    /// Runs `body` on a private copy, which becomes the committed state if `body` returns.
    public func write(_ body: (any KeyValueWriter) throws -> Void) throws {
        let transaction = InMemoryTransaction(of: try snapshot(in: "write"))
        try body(transaction)
        committed.withLock { $0 = transaction.entries }
    }

    private func snapshot(in operation: String) throws(DataStoreError) -> OrderedKeyMap<[UInt8]> {
        guard let entries = committed.withLock({ $0 }) else {
            throw DataStoreError(
                .notSetUp, in: operation, "The in-memory store is not open. Set it up first.")
        }
        return entries
    }
}
