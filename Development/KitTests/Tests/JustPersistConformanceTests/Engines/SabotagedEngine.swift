import Foundation
import JustPersistRecords

@testable import JustPersist
@testable import JustPersistConformance

/// An engine in memory with one fault: a subclass defines the fault and names the checks that must detect it.
///
/// Committed data outlive the engine, under the path of its directory. The class itself has no fault.
// Sendable because its properties are, and subclasses have none but constants and locks.
class SabotagedEngine: KeyValueEngine, @unchecked Sendable {
    typealias Entry = EngineModel.Entry
    typealias Entries = OrderedKeyMap<[UInt8]>

    /// The checks that must detect the fault.
    class var caughtBy: [String] { [] }

    private static let disk = Locked<[String: Entries]>([:])

    let directory: URL
    /// The committed state; nil while the engine is closed.
    let committed = Locked<Entries?>(nil)
    /// Counts something.
    let count = Locked(0)

    required init(in directory: URL) { self.directory = directory }

    var traits: KeyValueEngineTraits {
        KeyValueEngineTraits(name: "Sabotaged", isPersistent: true, maximumKeyLength: 511)
    }

    /// The simulated contents of the disk.
    var stored: Entries? {
        get { Self.disk.withLock { $0[directory.path] } }
        set { Self.disk.withLock { $0[directory.path] = newValue } }
    }

    func open() throws(DataStoreError) { committed.withLock { $0 = $0 ?? stored ?? Entries() } }

    func close() { committed.withLock { $0 = nil } }

    func destroy() throws(DataStoreError) { stored = nil }

    func read(_ body: (any KeyValueReader) throws -> Void) throws {
        try body(Transaction(of: self, begin()))
    }

    func write(_ body: (any KeyValueWriter) throws -> Void) throws {
        let before = begin()
        let transaction = Transaction(of: self, before)
        do { try body(transaction) } catch {
            publish(failed(before, transaction.entries))
            throw error
        }
        publish(transaction.entries)
    }

    func begin() -> Entries { committed.withLock { $0 ?? Entries() } }

    func publish(_ entries: Entries) {
        committed.withLock { $0 = entries }
        stored = entries
    }

    /// The state to commit when a transaction throws.
    func failed(_ before: Entries, _ after: Entries) -> Entries { before }

    // MARK: In a transaction

    func value(of key: [UInt8], in transaction: Transaction) -> [UInt8]? {
        transaction.entries.value(forKey: key.span)
    }

    func scanned(
        _ range: KeyRange, reversed: Bool, in transaction: Transaction
    ) throws(DataStoreError) -> [Entry] {
        var found: [Entry] = []
        try transaction.entries.scan(range, reversed: reversed) {
            (key, value) throws(DataStoreError) in
            found.append(Entry(key: [UInt8](copying: key), value: value))
            return .next
        }
        return found
    }

    func walk(
        _ entries: [Entry], in transaction: Transaction,
        _ body: (Entry) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        for entry in entries where try body(entry) == .stop { return }
    }

    func put(_ value: [UInt8], forKey key: [UInt8], in transaction: Transaction) {
        transaction.entries.setValue(value, forKey: key.span)
    }

    func delete(_ key: [UInt8], in transaction: Transaction) -> Bool {
        transaction.entries.removeValue(forKey: key.span) != nil
    }

    func deleteAll(
        in range: KeyRange, in transaction: Transaction
    ) throws(DataStoreError) -> Int {
        let keys = try scanned(range, reversed: false, in: transaction).map(\.key)
        for key in keys { _ = delete(key, in: transaction) }
        return keys.count
    }

    func keys(
        _ range: KeyRange, reversed: Bool, in transaction: Transaction
    ) throws(DataStoreError) -> [[UInt8]] {
        try scanned(range, reversed: reversed, in: transaction).map(\.key)
    }

    /// The places of keys that are there with their values.
    func values(
        of keys: [[UInt8]], in transaction: Transaction
    ) -> [(place: Int, value: [UInt8])] {
        keys.indices.compactMap { place in
            value(of: keys[place], in: transaction).map { (place, $0) }
        }
    }

    /// The state of a transaction after a part that threw.
    func undone(_ before: Entries, _ after: Entries) -> Entries { before }

    /// A snapshot or an open transaction.
    final class Transaction: KeyValueWriter {
        private let engine: SabotagedEngine
        var entries: Entries
        /// Whether something has happened that a fault waits for.
        var isMarked = false

        init(of engine: SabotagedEngine, _ entries: Entries) {
            self.engine = engine
            self.entries = entries
        }

        func withValue(
            forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(DataStoreError) -> Void
        ) throws(DataStoreError) -> Bool {
            guard let value = engine.value(of: [UInt8](copying: key), in: self) else {
                return false
            }
            try body(value.span)
            return true
        }

        func scan(
            _ range: KeyRange, reversed: Bool,
            _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
        ) throws(DataStoreError) {
            let found = try engine.scanned(range, reversed: reversed, in: self)
            try engine.walk(found, in: self) { (entry) throws(DataStoreError) in
                try body(entry.key.span, entry.value.span)
            }
        }

        func put(_ value: Span<UInt8>, forKey key: Span<UInt8>) throws(DataStoreError) {
            engine.put([UInt8](copying: value), forKey: [UInt8](copying: key), in: self)
        }

        func delete(_ key: Span<UInt8>) throws(DataStoreError) -> Bool {
            engine.delete([UInt8](copying: key), in: self)
        }

        func deleteAll(in range: KeyRange) throws(DataStoreError) -> Int {
            try engine.deleteAll(in: range, in: self)
        }

        func scanKeys(
            _ range: KeyRange, reversed: Bool,
            _ body: (_ key: Span<UInt8>) throws(DataStoreError) -> ScanStep
        ) throws(DataStoreError) {
            for key in try engine.keys(range, reversed: reversed, in: self)
            where try body(key.span) == .stop { return }
        }

        func withValues(
            forKeys keys: [[UInt8]],
            _ body: (_ place: Int, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
        ) throws(DataStoreError) {
            for (place, value) in engine.values(of: keys, in: self)
            where try body(place, value.span) == .stop { return }
        }

        func withSavepoint(_ body: (any KeyValueWriter) throws -> Void) throws {
            let before = entries
            do {
                try body(self)
            } catch {
                entries = engine.undone(before, entries)
                throw error
            }
        }
    }
}

/// A sabotaged engine that is examined, and not only a base class.
protocol EngineFault: AnyObject {}

/// The type of an engine with a fault.
typealias SabotagedEngineType = any (SabotagedEngine & EngineFault).Type

/// No fault at all.
final class FaultlessEngine: SabotagedEngine, EngineFault, @unchecked Sendable {}

/// The fixture of a store over a sabotaged engine.
enum EngineMutant<Engine: SabotagedEngine & EngineFault>: ConformanceFixture {
    static func makeStore(in directory: URL) -> RecordStore<Engine> {
        RecordStore(engine: Engine(in: directory))
    }
}
