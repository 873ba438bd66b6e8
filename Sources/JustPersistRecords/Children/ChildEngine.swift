import JustPersist

/// The engine of a child store: what the child has changed, in memory, over the committed state of its parent.
///
/// The changes are kept item by item and attribute by attribute (``ChildChanges``), for the parent may change the same
/// items. For a block they are turned into keys and values over the state that the parent has then, with the entries of
/// indexes, numbers of items and the catalog (``ChildView``); the record layer works on these as on any other store. While
/// the parent does not commit, the view stays as it is, and a block of the child only adds to it.
final class ChildEngine: KeyValueEngine {
    let parent: any ParentStore
    let traits: KeyValueEngineTraits
    /// `nil` while the engine is closed.
    private let state = Locked<State?>(nil)
    /// The thread that merges the child.
    private let merger = Locked<UInt?>(nil)
    /// The most that the changes may take: what one write block of the parent takes.
    private let limit: Int

    private struct State {
        var changes = ChildChanges()
        /// The view that was made last.
        var view: ChildView?
        var numbers = ChildView.Numbers()
        /// How many merges have ended.
        var merges = 0
        /// The parent's commit in which changes are merged, while that is being made.
        var mergingCommit: UInt64?
    }

    init(of parent: any ParentStore, traits: KeyValueEngineTraits, limits: DataStoreLimits) {
        self.parent = parent
        limit = limits.writeBlockBytes
        self.traits = KeyValueEngineTraits(
            name: "child of \(traits.name)", isPersistent: false, durability: .relaxed,
            maximumKeyLength: traits.maximumKeyLength, checksBytes: traits.checksBytes)
    }

    // MARK: Life

    /// Opens the child, without changes, if its parent is open.
    func open() throws(DataStoreError) {
        _ = try parent.openContext("open")
        state.withLock { state in
            if state == nil { state = State() }
        }
    }

    /// Closes the child, and lets go of its changes.
    func close() { state.withLock { $0 = nil } }

    func destroy() throws(DataStoreError) {}

    // MARK: Blocks

    func read(_ body: (any KeyValueReader) throws -> Void) throws {
        try readParent { reader, changes in
            let view = try view(of: changes, over: reader)
            try body(KeyValueOverlay(over: reader, changes: view.keys, number: view.number))
        }
    }

    func write(_ body: (any KeyValueWriter) throws -> Void) throws {
        try readParent { reader, changes in
            let view = try view(of: changes, over: reader)
            let transaction = ChildTransaction(over: reader, view.keys)
            try body(transaction)
            try commit(transaction, over: reader, view)
        }
    }

    /// Runs `body` once, on a state of the parent and with the changes that are to be laid over it.
    ///
    /// The changes are taken first, so that none is missed. A merge in between is then seen twice, which changes nothing
    /// unless the state has a later commit too: its values would be hidden. Then both are taken again.
    private func readParent(
        _ body: (any KeyValueReader, ChildChanges) throws -> Void
    ) throws {
        var isDone = false
        while !isDone {
            guard let (changes, merges) = state.withLock({ $0.map { ($0.changes, $0.merges) } })
            else { throw DataStoreError.notSetUp(in: "read") }
            try parent.readCommitted { reader in
                let now = state.withLock { $0.map { ($0.merges, $0.mergingCommit) } }
                guard let now, now.0 == merges else { return }
                if let commit = now.1, try StoreHeader(reading: reader)?.commit ?? 0 > commit {
                    return
                }
                isDone = true
                try body(reader, changes)
            }
            // It is committed, and all that is left is to note that.
            if !isDone { state.wait { $0?.mergingCommit == nil ? () : nil } }
        }
    }

    /// What the child has changed and not merged.
    var changes: ChildChanges {
        get throws(DataStoreError) {
            guard let changes = state.withLock({ $0?.changes }) else {
                throw .notSetUp(in: "read")
            }
            return changes
        }
    }

    /// Runs a merge of this child while there is no other.
    ///
    /// In one transaction, the second would find changes of the parent behind the first one, and take them for conflicts.
    /// Refused on a thread that merges it already: a main thread that waits for its turn runs blocks of other stores.
    func whileNotMerging<Result>(_ merge: () throws -> Result) throws -> Result {
        let thread = BlockThread.current
        try merger.wait { (merger) throws(DataStoreError) -> Void? in
            if merger == thread { throw .nestedWrite(in: "merge") }
            if merger != nil { return nil }
            merger = thread
            return ()
        }
        defer { merger.change { $0 = nil } }
        return try merge()
    }

    /// Notes that the parent is about to commit changes, and that no block runs until it has.
    func willMerge(_ merged: ChildChanges, inCommit commit: UInt64) {
        state.withLock { state in
            guard state?.changes.opening == merged.opening else { return }
            state?.mergingCommit = commit
        }
    }

    /// Takes off what the parent has committed, or has not.
    func didMerge(_ merged: ChildChanges, isCommitted: Bool) {
        state.change { state in
            guard state?.changes.opening == merged.opening else { return }
            state?.mergingCommit = nil
            guard isCommitted else { return }
            state?.changes.remove(merged: merged)
            state?.merges += 1
            state?.view = nil
        }
    }

    private func commit(
        _ transaction: ChildTransaction, over reader: any KeyValueReader, _ view: ChildView
    ) throws {
        var differences = try transaction.differences(from: view.keys, over: reader)
        let header = try StoreHeader(reading: transaction)
        var isDone = false
        while !isDone {
            let number = try changes.number
            // The parent may have committed since the block began, a merge of this child too.
            try parent.readCommitted { reader in
                for place in differences.indices {
                    let key = differences[place].key
                    differences[place].theirs = try PartialRecord(of: key, in: reader)
                }
            }
            isDone = try state.withLock { state throws(DataStoreError) in
                guard var changed = state, changed.changes.number == number else {
                    return state == nil
                }
                changed.changes.note(differences)
                if changed.changes.bytes > limit {
                    throw .tooManyPendingChanges(limit: limit)
                }
                changed.view = nil
                if let header { changed.numbers.note(header, over: view) }
                if number == view.changes, let header {
                    changed.view = view.followed(
                        by: transaction.changes, header, changes: changed.changes.number)
                }
                state = changed
                return true
            }
        }
    }

    // MARK: Views

    /// The changes as keys and values over a state of the parent.
    private func view(
        of changes: ChildChanges, over reader: any KeyValueReader
    ) throws(DataStoreError) -> ChildView {
        let known = state.withLock { $0?.view }
        if let known, known.changes == changes.number {
            // The same state has the same number.
            if let number = reader.snapshotNumber, number == known.parentSnapshot { return known }
            if try known.parentCommit == StoreHeader(reading: reader)?.commit { return known }
        }
        let (header, catalog) = try parent.catalog(in: reader)
        let numbers = state.withLock { state in
            state?.numbers.next(for: header.catalogVersion) ?? ChildView.Numbers()
        }
        let view = try ChildView(
            of: changes, over: reader, header, catalog, numbers, in: parent.openContext("read"))
        state.withLock { state in
            if state?.changes.number == changes.number { state?.view = view }
        }
        return view
    }
}

extension DataStoreError {
    /// The refusal of a block after which a merge would change more than one write block may.
    fileprivate static func tooManyPendingChanges(limit: Int) -> DataStoreError {
        DataStoreError(
            .limitExceeded, in: "write",
            """
            With this block the child store would hold more than \(limit) bytes of changes, which is the most that one \
            merge can write. The block was rolled back; merge the child, and write again.
            """)
    }
}
