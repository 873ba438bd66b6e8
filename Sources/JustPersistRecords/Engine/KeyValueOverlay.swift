public import JustPersist

/// Uncommitted changes on top of a reader: a writer for engines without transactions.
///
/// A read returns the changed value of a key, or else the value in the base. The overlay never writes to the base: when
/// the block ends, the engine writes ``changes`` in one batch, or discards them. The changes are kept in memory. One
/// thread at a time may use an overlay.
public final class KeyValueOverlay: KeyValueWriter {
    /// The new value of each changed key; `nil` for a key that was removed.
    public private(set) var changes: OrderedKeyMap<[UInt8]?>
    /// Whether the changes are a part of a load.
    public private(set) var isOfLoad = false
    private var savepoints = SavepointLog<[UInt8]?>()
    private let base: any KeyValueReader
    /// Identifies the base together with the initial changes, if the creator numbers them.
    public let snapshotNumber: UInt64?

    /// An overlay on `base` that starts with `changes`.
    public init(
        over base: any KeyValueReader, changes: OrderedKeyMap<[UInt8]?> = OrderedKeyMap()
    ) {
        self.base = base
        self.changes = changes
        snapshotNumber = nil
    }

    /// An overlay that is a snapshot with a number.
    init(over base: any KeyValueReader, changes: OrderedKeyMap<[UInt8]?>, number: UInt64) {
        self.base = base
        self.changes = changes
        snapshotNumber = number
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

    /// Sets the value of `key` in the changes.
    public func put(_ value: Span<UInt8>, forKey key: Span<UInt8>) throws(DataStoreError) {
        savepoints.note(key, in: changes)
        changes.setValue([UInt8](copying: value), forKey: key)
    }

    /// Marks `key` as removed, and looks up whether it existed.
    public func delete(_ key: Span<UInt8>) throws(DataStoreError) -> Bool {
        let change = changes.value(forKey: key)
        if case .some(nil) = change { return false }
        let isInBase = try base.withValue(forKey: key) { (_) throws(DataStoreError) in }
        guard change != nil || isInBase else { return false }
        savepoints.note(key, in: changes)
        if isInBase {
            changes.setValue(nil, forKey: key)
        } else {
            changes.removeValue(forKey: key)
        }
        return true
    }

    /// Marks `key` as removed, without a look-up of a remote base.
    public func remove(_ key: Span<UInt8>) throws(DataStoreError) {
        // The changes need not have a key that only they had.
        guard base.isRemote else {
            _ = try delete(key)
            return
        }
        savepoints.note(key, in: changes)
        changes.setValue(nil, forKey: key)
    }

    /// Restores the changes if `body` throws.
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

    /// Sets ``isOfLoad``.
    public func noteLoad() { isOfLoad = true }

    /// `true`: nothing can fail after the body of a savepoint.
    public var undoesFailedSavepoints: Bool { true }

    /// Whether the base is remote.
    public var isRemote: Bool { base.isRemote }

    /// Announces to the base the scans, and the look-ups of keys that were not changed.
    public func prepare(keys: [[UInt8]], ranges: [KeyRange]) throws(DataStoreError) {
        guard base.isRemote else { return }
        try base.prepare(keys: keys.filter { !isChanged($0) }, ranges: ranges)
    }

    /// Looks the keys up in the base together if none of them was changed.
    public func withValues(
        forKeys keys: [[UInt8]],
        _ body: (_ place: Int, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        try prepare(keys: keys, ranges: [])
        var start = 0
        while start < keys.count {
            var end = start
            while end < keys.count, !isChanged(keys[end]) { end += 1 }
            var step = ScanStep.next
            if start < end {
                let first = start
                try base.withValues(forKeys: Array(keys[start..<end])) {
                    (place, value) throws(DataStoreError) in
                    step = try body(first + place, value)
                    return step
                }
            }
            if step == .stop { return }
            guard end < keys.count else { return }
            let key = keys[end]
            if let change = changes.value(forKey: key.span), let value = change {
                if try body(end, value.span) == .stop { return }
            }
            start = end + 1
        }
    }

    private func isChanged(_ key: [UInt8]) -> Bool {
        changes.value(forKey: key.span) != nil
    }

    /// Scans the changes and the base as one ordered sequence of keys.
    public func scan(
        _ range: KeyRange, reversed: Bool,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        let changes = changes
        var pending = changes.slice(range, reversed: reversed)
        if changes.holds(atMost: Self.mostSegments, in: pending) {
            return try scanSegments(range, changes, pending) {
                (range) throws(DataStoreError) -> ScanStep in
                var step = ScanStep.next
                try base.scan(range, reversed: reversed) { (key, value) throws(DataStoreError) in
                    step = try body(key, value)
                    return step
                }
                return step
            } change: { (key, value) throws(DataStoreError) in
                try body(key, value)
            }
        }
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

    /// Scans the keys only, so the base need not read its values.
    public func scanKeys(
        _ range: KeyRange, reversed: Bool,
        _ body: (_ key: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        let pending = changes.slice(range, reversed: reversed)
        guard changes.holds(atMost: Self.mostSegments, in: pending) else {
            return try scan(range, reversed: reversed) { (key, _) throws(DataStoreError) in
                try body(key)
            }
        }
        try scanSegments(range, changes, pending) { (range) throws(DataStoreError) -> ScanStep in
            var step = ScanStep.next
            try base.scanKeys(range, reversed: reversed) { (key) throws(DataStoreError) in
                step = try body(key)
                return step
            }
            return step
        } change: { (key, _) throws(DataStoreError) in
            try body(key)
        }
    }

    /// The most changes in a range for which the base is scanned in segments, from one change to the next.
    ///
    /// In a segment, keys of the base need not be compared with the changes. With more changes, each key is compared.
    private static let mostSegments = 128

    private func scanSegments(
        _ range: KeyRange, _ changes: OrderedKeyMap<[UInt8]?>,
        _ slice: OrderedKeyMap<[UInt8]?>.Slice,
        _ scanBase: (KeyRange) throws(DataStoreError) -> ScanStep,
        change: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        var pending = slice
        var rest = range
        while let place = pending.next {
            let key = changes.withKey(at: place) { $0.copied() }
            let before = KeyRange(from: rest.lower, upTo: key)
            let behind = KeyRange(from: key + [0], upTo: rest.upper)
            if try scanBase(slice.isReversed ? behind : before) == .stop { return }
            if let value = changes.value(at: place) {
                if try change(key.span, value.span) == .stop { return }
            }
            rest = slice.isReversed ? before : behind
            changes.advance(&pending)
        }
        _ = try scanBase(rest)
    }
}
