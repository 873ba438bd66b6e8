import JustPersist

/// The engine of a child store: the child's changes, in memory, over the committed state of its parent.
///
/// The changes are stored by item and attribute (``ChildChanges``), because the parent may change the same items. For a
/// block they are converted to keys and values over the parent's current state, with index entries, item counts and the
/// catalog (``ChildView``); the record layer works on these as on any other store. Until the parent commits, the view
/// stays valid, and a block of the child only adds to it.
final class ChildEngine: KeyValueEngine {
    let parent: any ParentStore
    let traits: KeyValueEngineTraits
    /// `nil` while the engine is closed.
    private let state = Locked<State?>(nil)
    /// The thread that merges the child.
    private let merger = Locked<UInt?>(nil)
    /// The maximum size of the changes: the limit of one write block of the parent.
    private let limit: Int

    private struct State {
        var changes = ChildChanges()
        /// The latest view.
        var view: ChildView?
        var numbers = ChildView.Numbers()
        /// The number of merges that have ended.
        var merges = 0
        /// The number of the parent's commit that merges changes, while it is being made.
        var mergingCommit: UInt64?
    }

    init(of parent: any ParentStore, traits: KeyValueEngineTraits, limits: DataStoreLimits) {
        self.parent = parent
        limit = limits.writeBlockBytes
        self.traits = KeyValueEngineTraits(
            name: "child of \(traits.name)", isPersistent: false, durability: .relaxed,
            maximumKeyLength: traits.maximumKeyLength)
    }

    // MARK: Life

    /// Opens the child, without changes, if its parent is open.
    func open() throws(DataStoreError) {
        _ = try parent.openContext("open")
        state.withLock { state in
            if state == nil { state = State() }
        }
    }

    /// Closes the child, and drops its changes.
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

    /// Runs `body` once, with a state of the parent and the changes to apply to it.
    ///
    /// The changes are read before the state, so that none is missed. If a merge commits in between, the state contains
    /// the merged changes, too. This is harmless unless the state also has a later commit, whose values the changes
    /// would hide. In that case both are read again.
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
            // The merge is committed, but its end is not noted yet.
            if !isDone { state.wait { $0?.mergingCommit == nil ? () : nil } }
        }
    }

    /// The unmerged changes of the child.
    var changes: ChildChanges {
        get throws(DataStoreError) {
            guard let changes = state.withLock({ $0?.changes }) else {
                throw .notSetUp(in: "read")
            }
            return changes
        }
    }

    /// Runs a merge of this child while no other one runs.
    ///
    /// In one transaction, a second merge would find the changes of the first one in the parent, and report them as
    /// conflicts. The call is refused on a thread that is already merging this child: while the main thread waits for
    /// its turn, it runs blocks of other stores, which may merge.
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

    /// Notes that the parent is about to commit changes; no block runs until it has.
    func willMerge(_ merged: ChildChanges, inCommit commit: UInt64) {
        state.withLock { state in
            guard state?.changes.opening == merged.opening else { return }
            state?.mergingCommit = commit
        }
    }

    /// Removes the merged changes if the parent has committed them.
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
        let steps = try parent.catalog(in: reader).1.appliedSteps(in: reader)
        var isDone = false
        while !isDone {
            let number = try changes.number
            // The parent may have committed since the block began, including a merge of this child.
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
                changed.changes.note(differences, afterSteps: steps)
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
            // Equal numbers identify equal states.
            if let number = reader.snapshotNumber, number == known.parentSnapshot { return known }
            if try known.parentCommit == parent.header(in: reader, "read")?.commit { return known }
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
    /// The error of a block after which a merge would exceed the limit of one write block.
    fileprivate static func tooManyPendingChanges(limit: Int) -> DataStoreError {
        DataStoreError(
            .limitExceeded, in: "write",
            """
            With this block the child store would hold more than \(limit) bytes of changes, which is the most that one \
            merge can write. The block was rolled back; merge the child, and write again.
            """)
    }
}
