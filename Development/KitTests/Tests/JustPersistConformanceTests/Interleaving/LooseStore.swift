import Foundation

@testable import JustPersist
@testable import JustPersistConformance

/// A store whose blocks run concurrently, with less isolation than it declares.
final class LooseStore: DataStore {
    /// The level of isolation.
    enum Isolation: Sendable {
        /// Each works on a snapshot, and is refused if what it changed was changed meanwhile.
        case snapshot
        /// Like the previous case, but never refused: the last commit wins.
        case lastWriterWins
        /// Each query sees the state that is committed at its time.
        case readCommitted
        /// Each query sees the uncommitted changes of other blocks.
        case readUncommitted
        /// As with snapshots, but the block's changes to items that others changed meanwhile are silently dropped.
        case firstWriterWins
        /// All blocks change one state.
        case none
    }

    let capabilities = DataStoreCapabilities()
    /// It reports nothing.
    var errorHandler: DataStoreErrorHandler? {
        get { nil }
        set {}
    }
    private let isolation: Isolation
    private let shared = Locked(Shared())
    private let family = ItemID()
    private let queue = DispatchQueue(label: "LooseStore")

    private struct Shared: Sendable {
        var committed = ReferenceState()
        /// The current state of an open write block.
        var uncommitted: ReferenceState?
    }

    init(_ isolation: Isolation) { self.isolation = isolation }

    func open() {}

    func close() {}

    func destroy() { shared.withLock { $0 = Shared() } }

    private func beginBlock(isWriting: Bool) -> ReferenceBlock {
        let state = shared.withLock { $0.committed }
        var rules = ReferenceRules()
        if isolation == .none, isWriting {
            let seen = Locked(state)
            rules.changed = { [unowned self] state in
                seen.withLock { seen in
                    shared.withLock { shared in
                        _ = shared.committed.take(from: seen, to: state, .overwriting)
                    }
                    seen = state
                }
            }
        }
        return ReferenceBlock(
            state: state, isWriting: isWriting,
            context: ReferenceBlock.Context(family: family, rules: rules) { _ in })
    }

    /// The state that a query of a read block sees.
    private func refresh(_ block: ReferenceBlock) {
        switch isolation {
        case .snapshot, .lastWriterWins, .firstWriterWins: break
        case .none, .readCommitted: block.state = shared.withLock { $0.committed }
        case .readUncommitted:
            block.state = shared.withLock { $0.uncommitted ?? $0.committed }
        }
    }

    private func publish(_ block: ReferenceBlock) {
        if isolation == .none { return refresh(block) }
        shared.withLock { $0.uncommitted = block.state }
    }

    func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        let running = beginBlock(isWriting: false)
        defer { running.end(isCommitted: false) }
        let accessor: DataStoreReader = LooseReadAccessor(running) {
            [unowned self] in refresh(running)
        }
        try block(accessor)
    }

    func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        let running = beginBlock(isWriting: true)
        let before = running.state
        defer {
            shared.withLock { $0.uncommitted = nil }
            running.end(isCommitted: true)
        }
        let accessor: DataStoreWriter = LooseWriteAccessor(running) {
            [unowned self] in publish(running)
        }
        try block(accessor)
        let after = running.state
        let conflicts = shared.withLock { shared -> [ReferenceKey] in
            switch isolation {
            case .none: []
            case .snapshot: shared.committed.take(from: before, to: after, .refusing)
            case .firstWriterWins: shared.committed.take(from: before, to: after, .skipping)
            default: shared.committed.take(from: before, to: after, .overwriting)
            }
        }
        if isolation == .snapshot, !conflicts.isEmpty {
            throw DataStoreError(
                .storageFailure, in: "write", "Another block changed the item first.")
        }
    }

    func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        queue.async { [self] in
            do {
                try performWrite(block)
                completion(nil)
            } catch {
                completion(error)
            }
        }
    }
}

extension ReferenceState {
    /// The outcome for an item that others have changed meanwhile.
    fileprivate enum Meanwhile { case overwriting, skipping, refusing }

    /// Carries over what a block changed, row by row, and gives the rows that others had changed.
    fileprivate mutating func take(
        from before: ReferenceState, to after: ReferenceState, _ meanwhile: Meanwhile
    ) -> [ReferenceKey] {
        var merged = self
        for type in after.types { merged.put(type) }
        var conflicts: [ReferenceKey] = []
        for key in Set(before.rows.map(\.key)).union(after.rows.map(\.key)) {
            let (old, new) = (before.row(key)?.values, after.row(key)?.values)
            guard old != new else { continue }
            if row(key)?.values != old {
                conflicts.append(key)
                if meanwhile == .skipping { continue }
            }
            if let row = after.row(key) { merged.put(row) } else { _ = merged.remove(key) }
        }
        if meanwhile != .refusing || conflicts.isEmpty { self = merged }
        return conflicts
    }
}

/// Reads the current state of the store before each query.
private struct LooseReadAccessor: DataStoreReadAccessor, ~Copyable {
    let reading: ReferenceReadAccessor
    let before: () -> Void

    init(_ block: ReferenceBlock, before: @escaping () -> Void) {
        reading = ReferenceReadAccessor(block)
        self.before = before
    }

    func performFetch(_ request: DataStoreRequest) throws(DataStoreError) -> [any DataStoreItem] {
        before()
        return try reading.performFetch(request)
    }

    func performCount(_ request: DataStoreRequest) throws(DataStoreError) -> Int {
        before()
        return try reading.performCount(request)
    }

    func performFetchItem(_ type: ItemType, id: ItemID) throws(DataStoreError) -> (
        any DataStoreItem
    )? {
        before()
        return try reading.performFetchItem(type, id: id)
    }

    func performForEach(
        _ request: DataStoreRequest, _ body: (any DataStoreItem) throws -> Void
    ) throws {
        before()
        try reading.performForEach(request, body)
    }

    func schemas() throws(DataStoreError) -> [ItemSchema] { try reading.schemas() }

    func report(_ error: DataStoreError) {}
}

/// Publishes its block's changes at each query.
private struct LooseWriteAccessor: DataStoreReadWriteAccessor, ~Copyable {
    let writing: ReferenceWriteAccessor
    let after: () -> Void

    init(_ block: ReferenceBlock, after: @escaping () -> Void) {
        writing = ReferenceWriteAccessor(block)
        self.after = after
    }

    func performFetch(_ request: DataStoreRequest) throws(DataStoreError) -> [any DataStoreItem] {
        after()
        return try writing.performFetch(request)
    }

    func performCount(_ request: DataStoreRequest) throws(DataStoreError) -> Int {
        after()
        return try writing.performCount(request)
    }

    func performFetchItem(_ type: ItemType, id: ItemID) throws(DataStoreError) -> (
        any DataStoreItem
    )? {
        after()
        return try writing.performFetchItem(type, id: id)
    }

    func performForEach(
        _ request: DataStoreRequest, _ body: (any DataStoreItem) throws -> Void
    ) throws {
        after()
        try writing.performForEach(request, body)
    }

    func schemas() throws(DataStoreError) -> [ItemSchema] { try writing.schemas() }

    func report(_ error: DataStoreError) {}

    func performCreate(_ type: ItemType) throws(DataStoreError) -> any MutableDataStoreItem {
        try writing.performCreate(type)
    }

    func performInsert(_ item: any MutableDataStoreItem) throws(DataStoreError) -> Bool {
        try writing.performInsert(item)
    }

    func performDelete(_ item: any DataStoreItem) throws(DataStoreError) -> Bool {
        try writing.performDelete(item)
    }

    func performDeleteAll(_ types: [ItemType]) throws(DataStoreError) {
        try writing.performDeleteAll(types)
    }

    func performMutableVersion(of item: any DataStoreItem) throws(DataStoreError) -> (
        any MutableDataStoreItem
    )? {
        try writing.performMutableVersion(of: item)
    }

    func declare(_ schema: ItemSchema) throws(DataStoreError) { try writing.declare(schema) }
}
