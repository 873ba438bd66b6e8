import JustPersist
import JustPersistRecords

/// An engine of which one call fails. Blocks, look-ups, scans, changes and savepoints all count as calls.
// Sendable because only one thread of a simulation runs at a time.
final class FailingEngine<Engine: KeyValueEngine>: KeyValueEngine, @unchecked Sendable {
    private let engine: Engine
    private let counter: FailingCounter

    init(_ engine: Engine, _ counter: FailingCounter) {
        self.engine = engine
        self.counter = counter
    }

    var traits: KeyValueEngineTraits { engine.traits }

    func open() throws(DataStoreError) {
        try counter.count()
        try engine.open()
    }

    func close() { engine.close() }

    func destroy() throws(DataStoreError) { try engine.destroy() }

    func compact(_ meter: MaintenanceMeter) throws -> CompactionReport {
        try counter.count()
        return try engine.compact(meter)
    }

    func read(_ body: (any KeyValueReader) throws -> Void) throws {
        try counter.count()
        try engine.read { try body(Reader($0, counter)) }
    }

    func write(_ body: (any KeyValueWriter) throws -> Void) throws {
        try counter.count()
        try engine.write { try body(Writer($0, counter)) }
    }

    private class Reader: KeyValueReader {
        fileprivate let counter: FailingCounter
        private let reader: any KeyValueReader

        init(_ reader: any KeyValueReader, _ counter: FailingCounter) {
            self.reader = reader
            self.counter = counter
        }

        func withValue(
            forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(DataStoreError) -> Void
        ) throws(DataStoreError) -> Bool {
            try counter.count()
            return try reader.withValue(forKey: key, body)
        }

        /// Fails at the second entry, if there is one.
        func scan(
            _ range: KeyRange, reversed: Bool,
            _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
        ) throws(DataStoreError) {
            var failure: DataStoreError?
            do throws(DataStoreError) { try counter.count() } catch { failure = error }
            var entries = 0
            try reader.scan(range, reversed: reversed) { (key, value) throws(DataStoreError) in
                entries += 1
                if entries == 2, let failure { throw failure }
                return try body(key, value)
            }
            if entries < 2, let failure { throw failure }
        }
    }

    private final class Writer: Reader, KeyValueWriter {
        private let writer: any KeyValueWriter

        init(_ writer: any KeyValueWriter, _ counter: FailingCounter) {
            self.writer = writer
            super.init(writer, counter)
        }

        var undoesFailedSavepoints: Bool { writer.undoesFailedSavepoints }

        func withSavepoint(_ body: (any KeyValueWriter) throws -> Void) throws {
            try counter.count()
            try writer.withSavepoint { try body(Writer($0, counter)) }
        }

        func put(_ value: Span<UInt8>, forKey key: Span<UInt8>) throws(DataStoreError) {
            try counter.count()
            try writer.put(value, forKey: key)
        }

        func delete(_ key: Span<UInt8>) throws(DataStoreError) -> Bool {
            try counter.count()
            return try writer.delete(key)
        }
    }
}

/// Counts the calls of all engines that share it.
// Sendable because only one thread of a simulation runs at a time.
final class FailingCounter: @unchecked Sendable {
    private var calls = 0
    private let failing: Int

    init(failing: Int) { self.failing = failing }

    /// Whether the call that must fail was made.
    var hasFailed: Bool { calls >= failing }

    func count() throws(DataStoreError) {
        calls += 1
        if calls == failing { throw DataStoreError(.storageFailure, in: "use", Self.message) }
    }

    private static let message = "The test has this call fail."

    /// Whether an error is the error of that call, or has it as its reason.
    static func isToBlame(for error: any Error) -> Bool { "\(error)".contains(message) }
}
