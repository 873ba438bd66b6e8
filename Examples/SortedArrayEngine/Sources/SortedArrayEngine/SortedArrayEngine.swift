public import JustPersist
public import JustPersistRecords
import Synchronization

/// The smallest engine there can be: one sorted array of keys and values.
///
/// A read block looks at the array as it is when the block begins, which is a copy in name only; a write
/// block changes a copy and puts it in the array's place.
public final class SortedArrayEngine: KeyValueEngine {
    /// A key and its value.
    struct Entry: Sendable {
        let key: [UInt8]
        var value: [UInt8]
    }

    /// Volatile: what is in the array goes with it.
    public let traits = KeyValueEngineTraits(name: "SortedArray", isPersistent: false)

    private let entries = Mutex<[Entry]>([])

    /// An empty engine.
    public init() {}

    /// Nothing is to be opened.
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
