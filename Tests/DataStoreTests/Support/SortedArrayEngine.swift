import JustPersist
import JustPersistRecords

/// A minimal engine: one sorted array of keys and values, which is copied for each write.
///
/// It shows that an engine needs only its own file. Tests can make its operations fail.
final class SortedArrayEngine: KeyValueEngine {
    typealias Entry = (key: [UInt8], value: [UInt8])

    /// The operation that fails next.
    enum Fault {
        /// Opening.
        case open
        /// The write of a key, after a number of writes that succeed.
        case put(after: Int)
        /// The removal of a key.
        case delete
        /// A scan in a write block.
        case scan
        /// The commit.
        case commit
    }

    private struct State {
        var entries: [Entry] = []
        var isOpen = false
        var fault: Fault?
    }

    private let state = Locked(State())

    let traits = KeyValueEngineTraits(name: "Array", isPersistent: true, durability: .relaxed)

    static let failure = DataStoreError(.storageFull, in: "write", "The array is full.")

    static let unreadable = DataStoreError(.storageFailure, in: "read", "The array is unreadable.")

    /// The operation that fails each time it is called; `nil` for none.
    var fault: Fault? {
        get { state.withLock { $0.fault } }
        set { state.withLock { $0.fault = newValue } }
    }

    /// The committed entries.
    var entries: [Entry] {
        get { state.withLock { $0.entries } }
        set { state.withLock { $0.entries = newValue } }
    }

    func open() throws(DataStoreError) {
        if case .open? = fault { throw Self.failure }
        state.withLock { $0.isOpen = true }
    }

    func close() { state.withLock { $0.isOpen = false } }

    func destroy() throws(DataStoreError) { entries = [] }

    func read(_ body: (any KeyValueReader) throws -> Void) throws {
        try body(Transaction(entries, fault: nil))
    }

    func write(_ body: (any KeyValueWriter) throws -> Void) throws {
        let transaction = Transaction(entries, fault: fault)
        try body(transaction)
        if case .commit? = fault { throw Self.failure }
        entries = transaction.entries
    }

    private final class Transaction: KeyValueWriter {
        private(set) var entries: [Entry]
        private let fault: Fault?
        private var puts = 0

        init(_ entries: [Entry], fault: Fault?) {
            self.entries = entries
            self.fault = fault
        }

        func withValue(
            forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(DataStoreError) -> Void
        ) throws(DataStoreError) -> Bool {
            let key = [UInt8](copying: key)
            let place = place(of: key)
            guard place < entries.count, entries[place].key == key else { return false }
            let value = entries[place].value
            try body(value.span)
            return true
        }

        func scan(
            _ range: KeyRange, reversed: Bool,
            _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
        ) throws(DataStoreError) {
            if case .scan? = fault { throw SortedArrayEngine.unreadable }
            let lower = place(of: range.lower)
            let upper = range.upper.map { place(of: $0) } ?? entries.count
            guard lower < upper else { return }
            let found = Array(entries[lower..<upper])
            for entry in reversed ? found.reversed() : found {
                let (key, value) = entry
                if try body(key.span, value.span) == .stop { return }
            }
        }

        func put(_ value: Span<UInt8>, forKey key: Span<UInt8>) throws(DataStoreError) {
            if case .put(let limit)? = fault, puts >= limit { throw SortedArrayEngine.failure }
            puts += 1
            let key = [UInt8](copying: key)
            let entry = (key: key, value: [UInt8](copying: value))
            let place = place(of: key)
            if place < entries.count, entries[place].key == key {
                entries[place] = entry
            } else {
                entries.insert(entry, at: place)
            }
        }

        func delete(_ key: Span<UInt8>) throws(DataStoreError) -> Bool {
            if case .delete? = fault { throw SortedArrayEngine.failure }
            let key = [UInt8](copying: key)
            let place = place(of: key)
            guard place < entries.count, entries[place].key == key else { return false }
            entries.remove(at: place)
            return true
        }

        private func place(of key: [UInt8]) -> Int {
            var lower = 0
            var upper = entries.count
            while lower < upper {
                let middle = (lower + upper) / 2
                if entries[middle].key.lexicographicallyPrecedes(key) {
                    lower = middle + 1
                } else {
                    upper = middle
                }
            }
            return lower
        }
    }
}
