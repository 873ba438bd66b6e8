import JustPersist
import JustPersistMemory
import JustPersistRecords

/// An engine in memory that counts its calls, and can make one of them fail.
final class InterceptedEngine: KeyValueEngine {
    /// The calls of an engine in a block.
    enum Call {
        case lookUp, scan, row, put, delete
    }

    private struct State {
        var counts: [Call: Int] = [:]
        /// The calls of a write block that still succeed; `nil` if none is to fail.
        var remaining: Int?
        var error = DataStoreError(.storageFailure, in: "read", "The engine failed.")
        var hasFailed = false
        /// A key that scans return and look-ups do not find.
        var hiddenKey: [UInt8]?
    }

    private let engine = InMemoryEngine()
    private let state = Locked(State())

    var traits: KeyValueEngineTraits { engine.traits }

    /// The number of calls since ``reset()``.
    func count(_ call: Call) -> Int { state.withLock { $0.counts[call] ?? 0 } }

    /// Whether a call has failed since ``fail(after:with:)``.
    var hasFailed: Bool { state.withLock { $0.hasFailed } }

    /// Resets the counts to 0.
    func reset() { state.withLock { $0.counts = [:] } }

    /// Makes the call after `calls` successful ones fail; with `nil`, none fails.
    func fail(after calls: Int?, with code: DataStoreError.Code = .storageFailure) {
        state.withLock { state in
            state.remaining = calls
            state.error = DataStoreError(code, in: "read", "The engine failed.")
            if calls != nil { state.hasFailed = false }
        }
    }

    /// Hides a key from look-ups, but not from scans; with `nil`, none is hidden.
    func hide(_ key: [UInt8]?) { state.withLock { $0.hiddenKey = key } }

    fileprivate func hides(_ key: Span<UInt8>) -> Bool {
        guard let hidden = state.withLock({ $0.hiddenKey }) else { return false }
        return hidden == [UInt8](copying: key)
    }

    fileprivate func note(_ call: Call) throws(DataStoreError) {
        try state.withLock { state throws(DataStoreError) in
            state.counts[call, default: 0] += 1
            guard let remaining = state.remaining, call != .row else { return }
            state.remaining = remaining == 0 ? nil : remaining - 1
            if remaining == 0 {
                state.hasFailed = true
                throw state.error
            }
        }
    }

    func open() throws(DataStoreError) { try engine.open() }

    func close() { engine.close() }

    func destroy() throws(DataStoreError) { try engine.destroy() }

    func read(_ body: (any KeyValueReader) throws -> Void) throws {
        try engine.read { try body(Reader($0, self)) }
    }

    func write(_ body: (any KeyValueWriter) throws -> Void) throws {
        try engine.write { try body(Writer($0, self)) }
    }

    private class Reader: KeyValueReader {
        private let reader: any KeyValueReader
        let engine: InterceptedEngine

        init(_ reader: any KeyValueReader, _ engine: InterceptedEngine) {
            self.reader = reader
            self.engine = engine
        }

        func withValue(
            forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(DataStoreError) -> Void
        ) throws(DataStoreError) -> Bool {
            try engine.note(.lookUp)
            if engine.hides(key) { return false }
            return try reader.withValue(forKey: key, body)
        }

        func scan(
            _ range: KeyRange, reversed: Bool,
            _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
        ) throws(DataStoreError) {
            try engine.note(.scan)
            try reader.scan(range, reversed: reversed) { (key, value) throws(DataStoreError) in
                try engine.note(.row)
                return try body(key, value)
            }
        }
    }

    private final class Writer: Reader, KeyValueWriter {
        private let writer: any KeyValueWriter

        init(_ writer: any KeyValueWriter, _ engine: InterceptedEngine) {
            self.writer = writer
            super.init(writer, engine)
        }

        func put(_ value: Span<UInt8>, forKey key: Span<UInt8>) throws(DataStoreError) {
            try engine.note(.put)
            try writer.put(value, forKey: key)
        }

        func delete(_ key: Span<UInt8>) throws(DataStoreError) -> Bool {
            try engine.note(.delete)
            return try writer.delete(key)
        }
    }
}
