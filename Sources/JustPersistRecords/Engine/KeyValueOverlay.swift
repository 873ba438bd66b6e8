public import JustPersist

/// Changes that are not committed yet, laid over a reader: a writer for engines without transactions.
///
/// Reads see the changes first and the base below them. The overlay never writes to the base: when the block ends,
/// the engine writes ``changes`` in one batch, or discards them. The changes are kept in memory. Like every reader
/// and writer, an overlay belongs to one thread.
public final class KeyValueOverlay: KeyValueWriter {
    /// What was written: the new value of each changed key, `nil` for a key that was removed.
    public private(set) var changes: OrderedKeyMap<[UInt8]?>
    private var savepoints = SavepointLog<[UInt8]?>()
    private let base: any KeyValueReader

    /// An overlay on `base` that starts with `changes`.
    public init(
        over base: any KeyValueReader, changes: OrderedKeyMap<[UInt8]?> = OrderedKeyMap()
    ) {
        self.base = base
        self.changes = changes
    }

    /// Looks `key` up among the changes, then in the base.
    public func withValue(
        forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(DataStoreError) -> Void
    ) throws(DataStoreError) -> Bool {
        guard let change = changes.value(forKey: key) else {
            return try base.withValue(forKey: key, body)
        }
        guard let value = change else { return false }
        try body(value.span)
        return true
    }

    /// Notes that `key` is to have `value`.
    public func put(_ value: Span<UInt8>, forKey key: Span<UInt8>) throws(DataStoreError) {
        savepoints.note(key, in: changes)
        changes.setValue([UInt8](copying: value), forKey: key)
    }

    /// Notes that `key` is to go, and looks up whether it was there.
    public func delete(_ key: Span<UInt8>) throws(DataStoreError) -> Bool {
        let wasThere = try withValue(forKey: key) { (_) throws(DataStoreError) in }
        if wasThere {
            savepoints.note(key, in: changes)
            changes.setValue(nil, forKey: key)
        }
        return wasThere
    }

    /// Puts the changes back as they were if `body` throws.
    public func withSavepoint(_ body: (any KeyValueWriter) throws -> Void) throws {
        savepoints.begin()
        do {
            try body(self)
        } catch {
            savepoints.revert(&changes)
            throw error
        }
        savepoints.keep()
    }

    /// Walks the changes and the base as one ordered run of keys.
    public func scan(
        _ range: KeyRange, reversed: Bool,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        let changes = changes
        var pending = changes.slice(range, reversed: reversed)
        var step = ScanStep.next

        func passChange(at place: OrderedKeyMap<[UInt8]?>.Position) throws(DataStoreError) {
            changes.advance(&pending)
            guard let value = changes.value(at: place) else { return }
            step = try changes.withKey(at: place) { (key) throws(DataStoreError) in
                try body(key, value.span)
            }
        }

        try base.scan(range, reversed: reversed) { (key, value) throws(DataStoreError) in
            while let place = pending.next {
                let order = changes.withKey(at: place) { $0.order(against: key) }
                if order == (reversed ? .before : .after) { break }
                try passChange(at: place)
                if order == .same || step == .stop { return step }
            }
            step = try body(key, value)
            return step
        }
        while step == .next, let place = pending.next { try passChange(at: place) }
    }
}
