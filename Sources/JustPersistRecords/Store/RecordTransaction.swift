import JustPersist

/// The transaction in which the write blocks of a store run: one block, or a group if several wait.
// Sendable because the gate lets one thread at a time use it, and orders these uses.
final class RecordTransaction<Engine: KeyValueEngine>: SharedTransaction, @unchecked Sendable {
    private let engine: Engine
    /// Called after each commit for each of its blocks, in their order, before the next transaction begins.
    private var didCommit: (WriteBlock) -> Void = { _ in }

    /// The writer of the block whose turn it is; `nil` outside of blocks.
    private(set) var writer: (any KeyValueWriter)?
    /// The blocks that commit with the transaction.
    private var blocks: [WriteBlock] = []
    private var bytes = 0
    /// The reason that the transaction must not be committed, if any.
    private var failure: (any Error)?

    /// No further block joins once the changes have this size in bytes: a large transaction is slow to commit, and
    /// keeps its changes in memory.
    private static var fullSize: Int { 4 << 20 }

    init(_ engine: Engine) { self.engine = engine }

    /// Sets the function to call after each commit; called before the first one.
    func whenCommitted(_ body: @escaping (WriteBlock) -> Void) { didCommit = body }

    var isPassedBetweenThreads: Bool { engine.traits.isPassedBetweenThreads }

    var hasRoom: Bool {
        failure == nil && bytes < Self.fullSize && !engine.traits.hasSmallTransactions
    }

    /// The catalog of the transaction's last block, not yet visible outside the group; `nil` in the first block.
    var catalog: Catalog? { blocks.last?.known.catalog }

    /// Adds a block that has ended and is to be committed.
    func add(_ block: WriteBlock) {
        blocks.append(block)
        bytes += block.changedBytes
    }

    func commit(_ body: () throws -> Void) throws {
        if engine.traits.isReadOnly { throw DataStoreError.readOnly(in: "write") }
        defer {
            blocks = []
            bytes = 0
            failure = nil
        }
        do {
            try engine.write { writer in
                self.writer = writer
                defer { self.writer = nil }
                try body()
                if let failure { throw failure }
                for block in blocks { block.beforeCommit?() }
                if !blocks.isEmpty, blocks.allSatisfy(\.isOfLoad) { writer.noteLoad() }
            }
        } catch {
            for block in blocks { undo(block, error) }
            throw error
        }
        for block in blocks {
            block.conclude(isCommitted: true)
            didCommit(block)
        }
    }

    /// Ends a block that returned, and whose changes the engine could not keep.
    private func undo(_ block: WriteBlock, _ error: any Error) {
        block.conclude(isCommitted: false)
        // The changes may be committed.
        if (error as? DataStoreError)?.code == .commitOutcomeUnknown { return }
        block.context.log?.rolledBack(error, since: block.start)
    }

    func withSavepoint(_ body: () throws -> Void) throws {
        guard let outer = writer else { throw DataStoreError.notSetUp(in: "write") }
        let kept = blocks.count
        let keptBytes = bytes
        var hasReturned = false
        defer { writer = outer }
        do {
            try outer.withSavepoint { inner in
                writer = inner
                try body()
                hasReturned = true
            }
        } catch {
            if hasReturned {
                // The engine could not keep the changes of these blocks.
                for block in blocks[kept...] { undo(block, error) }
                blocks.removeSubrange(kept...)
                bytes = keptBytes
                if !outer.undoesFailedSavepoints { failure = error }
            }
            throw error
        }
    }
}
