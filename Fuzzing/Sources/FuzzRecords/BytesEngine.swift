import JustPersist
import JustPersistRecords
import Synchronization

/// An engine in memory whose stored bytes can be replaced.
///
/// It says that it checks its bytes itself, so that the record layer takes them without a look at its own checksum.
final class BytesEngine: KeyValueEngine {
    struct Entry: Sendable {
        let key: [UInt8]
        var value: [UInt8]
    }

    let traits = KeyValueEngineTraits(name: "Bytes", isPersistent: false, checksBytes: true)
    private let stored = Mutex<[Entry]>([])

    /// All entries, by ascending key.
    var entries: [Entry] {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }

    func open() {}
    func close() {}
    func destroy() { entries = [] }

    func read(_ body: (any KeyValueReader) throws -> Void) throws {
        try body(BytesTransaction(entries))
    }

    func write(_ body: (any KeyValueWriter) throws -> Void) throws {
        let transaction = BytesTransaction(entries)
        try body(transaction)
        entries = transaction.entries
    }
}

/// The entries that one block sees and makes.
final class BytesTransaction: KeyValueWriter {
    private(set) var entries: [BytesEngine.Entry]

    init(_ entries: [BytesEngine.Entry]) { self.entries = entries }

    func withValue(
        forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(DataStoreError) -> Void
    ) throws(DataStoreError) -> Bool {
        let (place, isThere) = find(bytes(key))
        guard isThere else { return false }
        let value = entries[place].value
        try body(value.span)
        return true
    }

    func scan(
        _ range: KeyRange, reversed: Bool,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        let lower = find(range.lower).place
        let upper = range.upper.map { find($0).place } ?? entries.endIndex
        guard lower < upper else { return }
        let found = entries[lower..<upper]
        for entry in reversed ? Array(found.reversed()) : Array(found) {
            let (key, value) = (entry.key, entry.value)
            if try body(key.span, value.span) == .stop { return }
        }
    }

    func put(_ value: Span<UInt8>, forKey key: Span<UInt8>) {
        let entry = BytesEngine.Entry(key: bytes(key), value: bytes(value))
        let (place, isThere) = find(entry.key)
        if isThere { entries[place] = entry } else { entries.insert(entry, at: place) }
    }

    func delete(_ key: Span<UInt8>) -> Bool {
        let (place, isThere) = find(bytes(key))
        if isThere { entries.remove(at: place) }
        return isThere
    }

    private func bytes(_ span: Span<UInt8>) -> [UInt8] { span.indices.map { span[$0] } }

    /// The place of the first entry that is not below a key, and whether it is that of the key.
    private func find(_ key: [UInt8]) -> (place: Int, isThere: Bool) {
        let place =
            entries.firstIndex { !$0.key.lexicographicallyPrecedes(key) } ?? entries.endIndex
        return (place, place < entries.endIndex && entries[place].key == key)
    }
}
