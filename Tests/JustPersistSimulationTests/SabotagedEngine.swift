import JustPersist
import JustPersistRecords
import JustPersistSimulation

/// An engine with a deliberate fault.
// Sendable because only one thread of a simulation runs at a time.
final class SabotagedEngine: KeyValueEngine, @unchecked Sendable {
    private let engine: SimulatedEngine
    private let sabotage: Sabotage
    /// Changes that were acknowledged or refused, and not committed.
    private var pending = OrderedKeyMap<[UInt8]?>()
    /// The changes of the last commit, which reads leave out.
    private var last: [(key: [UInt8], value: [UInt8]?)] = []

    init(_ engine: SimulatedEngine, _ sabotage: Sabotage) {
        self.engine = engine
        self.sabotage = sabotage
    }

    var traits: KeyValueEngineTraits { engine.traits }

    func open() throws(DataStoreError) { try engine.open() }

    func close() {
        if sabotage == .commitIsLeftForTheNext { try? commit(OrderedKeyMap()) }
        engine.close()
    }

    func destroy() throws(DataStoreError) { try engine.destroy() }

    func compact(_ meter: MaintenanceMeter) throws -> CompactionReport {
        try engine.compact(meter)
    }

    func read(_ body: (any KeyValueReader) throws -> Void) throws {
        switch sabotage {
        case .snapshotsAreLive: try body(LiveReader(engine))
        case .commitIsLeftForTheNext:
            try engine.read { try body(KeyValueOverlay(over: $0, changes: pending)) }
        case .readsLagBehind:
            try engine.read { reader in
                let overlay = KeyValueOverlay(over: reader)
                for (key, value) in last { try overlay.set(key, value) }
                last = []
                try body(overlay)
            }
        case .refusedReadIsEmpty:
            var isBegun = false
            do {
                try engine.read { reader in
                    isBegun = true
                    try body(reader)
                }
            } catch  where !isBegun {
                try body(KeyValueOverlay(over: EmptyReader()))
            }
        default: try engine.read(body)
        }
    }

    func write(_ body: (any KeyValueWriter) throws -> Void) throws {
        switch sabotage {
        case .refusalIsSwallowed, .fullDiskIsSuccess:
            var isBodyDone = false
            do {
                try engine.write { writer in
                    try body(writer)
                    isBodyDone = true
                }
            } catch let error as DataStoreError
                where isBodyDone
                && (sabotage == .refusalIsSwallowed || error.code == .storageFull)
            {
            }
        case .savepointsAreKept, .savepointUndoesAll:
            try engine.write { writer in
                let own = SabotagedWriter(over: writer, undoesAll: sabotage == .savepointUndoesAll)
                try body(own)
                try own.finish(writer)
            }
        case .refusedChangesComeBack, .commitIsLeftForTheNext, .commitInTwoHalves, .readsLagBehind:
            var changes = OrderedKeyMap<[UInt8]?>()
            try engine.read { reader in
                let kept = sabotage == .commitIsLeftForTheNext ? pending : OrderedKeyMap()
                let overlay = KeyValueOverlay(over: reader, changes: kept)
                try body(overlay)
                changes = overlay.changes
                last = []
                if sabotage == .readsLagBehind {
                    for (key, _) in try changes.all() { last.append((key, reader.value(key))) }
                }
            }
            try commit(changes)
        default: try engine.write(body)
        }
    }

    private func commit(_ changes: OrderedKeyMap<[UInt8]?>) throws {
        let all = try changes.all()
        switch sabotage {
        case .commitInTwoHalves:
            let half = all.count / 2
            try engine.write { try $0.set(all[..<half]) }
            try engine.write { try $0.set(all[half...]) }
        case .commitIsLeftForTheNext:
            let earlier = try pending.all()
            pending = changes
            try engine.write { try $0.set(earlier[...]) }
        case .refusedChangesComeBack:
            let refused = try pending.all()
            do {
                try engine.write { writer in
                    try writer.set(refused[...])
                    try writer.set(all[...])
                }
                pending = OrderedKeyMap()
            } catch {
                // Of the records only: not the header, the catalog or an index.
                for (key, value) in all where key.count > 16 {
                    pending.setValue(value, forKey: key.span)
                }
                throw error
            }
        default: try engine.write { try $0.set(all[...]) }
        }
    }
}

extension OrderedKeyMap<[UInt8]?> {
    fileprivate func all() throws -> [(key: [UInt8], value: [UInt8]?)] {
        var all: [(key: [UInt8], value: [UInt8]?)] = []
        try scan(KeyRange(from: [], upTo: nil)) { (key, value) throws(DataStoreError) in
            all.append(([UInt8](of: key), value))
            return .next
        }
        return all
    }
}

extension KeyValueReader {
    fileprivate func value(_ key: [UInt8]) -> [UInt8]? {
        var found: [UInt8]?
        _ = try? withValue(forKey: key.span) { (value) throws(DataStoreError) in
            found = [UInt8](of: value)
        }
        return found
    }
}

extension KeyValueWriter {
    fileprivate func set(_ key: [UInt8], _ value: [UInt8]?) throws {
        if let value { try put(value.span, forKey: key.span) } else { _ = try delete(key.span) }
    }

    fileprivate func set(_ changes: ArraySlice<(key: [UInt8], value: [UInt8]?)>) throws {
        for (key, value) in changes { try set(key, value) }
    }
}

extension [UInt8] {
    fileprivate init(of span: Span<UInt8>) {
        self = span.indices.map { span[$0] }
    }
}

private final class EmptyReader: KeyValueReader {
    func withValue(
        forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(DataStoreError) -> Void
    ) throws(DataStoreError) -> Bool { false }

    func scan(
        _ range: KeyRange, reversed: Bool,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {}
}

/// Reads the current state at each call, instead of a snapshot.
private final class LiveReader: KeyValueReader {
    private let engine: SimulatedEngine

    init(_ engine: SimulatedEngine) { self.engine = engine }

    private func reading(_ body: (any KeyValueReader) throws -> Void) throws(DataStoreError) {
        do {
            try engine.read(body)
        } catch {
            throw error as? DataStoreError
                ?? DataStoreError(.storageFailure, in: "read", "\(error)")
        }
    }

    func withValue(
        forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(DataStoreError) -> Void
    ) throws(DataStoreError) -> Bool {
        let key = [UInt8](of: key)
        var isFound = false
        try reading { isFound = try $0.withValue(forKey: key.span, body) }
        return isFound
    }

    func scan(
        _ range: KeyRange, reversed: Bool,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        try reading { try $0.scan(range, reversed: reversed, body) }
    }
}

/// A writer that undoes either nothing of a failed block in a transaction, or also the blocks before it.
private final class SabotagedWriter: KeyValueWriter {
    private let base: any KeyValueWriter
    private let undoesAll: Bool
    private var overlay: KeyValueOverlay

    init(over base: any KeyValueWriter, undoesAll: Bool) {
        self.base = base
        self.undoesAll = undoesAll
        overlay = KeyValueOverlay(over: base)
    }

    func finish(_ writer: any KeyValueWriter) throws { try writer.set(overlay.changes.all()[...]) }

    var undoesFailedSavepoints: Bool { true }

    func withSavepoint(_ body: (any KeyValueWriter) throws -> Void) throws {
        do {
            try body(self)
        } catch {
            if undoesAll { overlay = KeyValueOverlay(over: base) }
            throw error
        }
    }

    func withValue(
        forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(DataStoreError) -> Void
    ) throws(DataStoreError) -> Bool { try overlay.withValue(forKey: key, body) }

    func scan(
        _ range: KeyRange, reversed: Bool,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) { try overlay.scan(range, reversed: reversed, body) }

    func put(_ value: Span<UInt8>, forKey key: Span<UInt8>) throws(DataStoreError) {
        try overlay.put(value, forKey: key)
    }

    func delete(_ key: Span<UInt8>) throws(DataStoreError) -> Bool { try overlay.delete(key) }
}
