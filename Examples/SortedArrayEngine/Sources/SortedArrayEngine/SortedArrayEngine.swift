public import JustPersist
public import JustPersistRecords
import Synchronization

/// A minimal engine: one sorted array of keys and values.
///
/// A read block uses the array as it is when the block begins, without copying it, because arrays are copied on write.
/// A write block changes a copy and then replaces the array.
public final class SortedArrayEngine: KeyValueEngine {
    /// A key and its value.
    struct Entry: Sendable {
        let key: [UInt8]
        var value: [UInt8]
    }

    /// Volatile: the entries are lost with the array.
    public let traits = KeyValueEngineTraits(name: "SortedArray", isPersistent: false)

    private let entries = Mutex<[Entry]>([])

    /// An empty engine.
    public init() {}

    /// Does nothing.
    public func open() {}

    /// Drops the entries, as a volatile store does when it is closed.
    public func close() { entries.withLock { $0 = [] } }

    /// Drops the entries.
    public func destroy() { close() }

    /// Runs a block on the entries as they are now.
    public func read(_ body: (any KeyValueReader) throws -> Void) throws {
        try body(SortedArrayTransaction(entries.withLock { $0 }))
    }

    /// Runs a block on a copy of the entries, and keeps the copy if the block returns.
    public func write(_ body: (any KeyValueWriter) throws -> Void) throws {
        let transaction = SortedArrayTransaction(entries.withLock { $0 })
        try body(transaction)
        entries.withLock { $0 = transaction.entries }
    }
}

/// A store of items over a sorted array: the record layer does all the rest.
public typealias SortedArrayDataStore = RecordStore<SortedArrayEngine>

extension RecordStore where Engine == SortedArrayEngine {
    /// A closed, empty store.
    public convenience init(errorHandler: DataStoreErrorHandler? = nil) {
        self.init(
            engine: SortedArrayEngine(), threading: .callingThread, errorHandler: errorHandler)
    }
}
