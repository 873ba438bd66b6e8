import JustPersist

/// Transactions of several blocks in a child store, which a merge commits or refuses.
///
/// A block of a child reads its parent's state at its start, and a merge with the policy `fail` compares changes, not
/// reads. Each block therefore reads only lists to which it, or an earlier block of the transaction, appends. The merge
/// then verifies all reads, and the transaction is serializable.
extension ListAppendWorkload {
    /// The stores from a child of the store down to the descendant in which blocks run.
    struct ChildLine: Sendable {
        fileprivate let root: any DataStore
        fileprivate let stores: [any DataStore]

        fileprivate init(of root: any DataStore, depth: Int) throws {
            self.root = root
            var stores: [any DataStore] = []
            for _ in 0..<depth {
                let child = try (stores.last ?? root).makeChild()
                try child.open()
                stores.append(child)
            }
            self.stores = stores
        }

        fileprivate var store: any DataStore { stores.last ?? root }

        /// Merges the changes of the lowest store, level by level, into the root.
        ///
        /// Returns the error if a store refuses.
        fileprivate func merge() throws -> DataStoreError? {
            for (parent, child) in zip([root] + stores, stores).reversed() {
                do {
                    _ = try parent.merge(child, policy: .fail)
                } catch let error as DataStoreError where error.code == .mergeConflict {
                    return error
                }
            }
            return nil
        }

        /// Discards the changes that were not merged.
        fileprivate func discard() throws {
            for store in stores.reversed() { try store.close() }
            for store in stores { try store.open() }
        }
    }

    /// The planned end of a child's transaction.
    private enum End {
        case merge, discard, error
    }

    /// The number of transactions of a history with children that were committed by a merge.
    static func merges(in history: History) -> Int {
        history.transactions.count { transaction in
            transaction.isCommitted && throughChildren.indices.contains(transaction.process)
                && [.child, .grandchild].contains(throughChildren[transaction.process])
                && transaction.operations.contains {
                    if case .append = $0 { true } else { false }
                }
        }
    }

    /// Opens children for a process that uses them; returns nil for any other process.
    func childLine(for process: Process) throws -> ChildLine? {
        switch process {
        case .child: try ChildLine(of: store, depth: 1)
        case .grandchild:
            try ChildLine(of: store, depth: check.capabilities.childStores >= .nested ? 2 : 1)
        default: nil
        }
    }

    /// Runs a random transaction in a child, or occasionally a block that only reads.
    func runInChild(
        _ line: ChildLine, lists: Range<Int>, process: Int, _ generator: inout SeededGenerator
    ) throws {
        if generator.int(in: 0..<6) == 0 {
            let plan = (0..<generator.int(in: 1...4)).map { _ in
                read(generator.int(in: lists), &generator)
            }
            return try read(plan, in: line.store, process: process)
        }
        var blocks: [[Plan]] = []
        var touched: [Int] = []
        for _ in 0..<(generator.int(in: 0..<3) == 0 ? 2 : 1) {
            var block: [Plan] = []
            for _ in 0..<generator.int(in: 1...2) {
                let list = generator.int(in: lists)
                touched.append(list)
                if generator.bool() { block.append(read(list, &generator)) }
                block.append(.append(list: list))
                if generator.int(in: 0..<12) == 0 { block.append(.pause) }
            }
            let again = generator.int(in: 0..<touched.count)
            if generator.bool() { block.append(read(touched[again], &generator)) }
            blocks.append(block)
        }
        let end: End =
            switch generator.int(in: 0..<20) {
            case 0: .discard
            case 1: .error
            default: .merge
            }
        _ = try write(blocks, end, in: line, process: process)
    }

    /// Expects that a merge is not refused if no other block has written meanwhile.
    func mergeUndisturbed(process: Int) throws {
        let line = try ChildLine(of: store, depth: 1)
        let plan: [Plan] = [.append(list: 0), .read(list: 0, byPredicate: true)]
        let refusal = try write([plan, plan], .merge, in: line, process: process)
        check.expect(
            refusal == nil,
            "A merge was refused, and no other block had written since the child did: \(refusal, default: "")"
        )
    }

    private func read(_ list: Int, _ generator: inout SeededGenerator) -> Plan {
        .read(list: list, byPredicate: generator.int(in: 0..<4) == 0)
    }

    /// Runs the blocks of a transaction, and ends it.
    ///
    /// Returns the error if its merge was refused.
    private func write(
        _ blocks: [[Plan]], _ end: End, in line: ChildLine, process: Int
    ) throws -> DataStoreError? {
        let began = now()
        var operations: [[History.Operation]] = []
        var refusal: DataStoreError?
        var isCommitted = false
        var isHolding = false
        do {
            for (number, plan) in blocks.enumerated() {
                let done = Locked<[History.Operation]>([])
                defer { operations.append(done.withLock { $0 }) }
                try line.store.write { db in
                    try carryOut(plan, done, db)
                    if end == .error, number == blocks.count - 1 { throw RollBack() }
                }
                isHolding = true
            }
            if end == .merge {
                refusal = try line.merge()
                isCommitted = refusal == nil
            }
        } catch is RollBack {}
        // A child whose only block threw has no changes to discard. The store itself must ensure that.
        if isHolding, !isCommitted { try line.discard() }
        record(
            process, began: began,
            isCommitted ? operations.flatMap { $0 } : claimed(operations), isCommitted: isCommitted)
        return refusal
    }

    /// The operations that a history may contain for blocks that were not merged.
    ///
    /// Each block had its own snapshot, so the reads of later blocks need not agree with those of the first.
    private func claimed(_ blocks: [[History.Operation]]) -> [History.Operation] {
        let later = blocks.dropFirst().flatMap { $0 }.filter {
            if case .append = $0 { true } else { false }
        }
        return (blocks.first ?? []) + later
    }
}
