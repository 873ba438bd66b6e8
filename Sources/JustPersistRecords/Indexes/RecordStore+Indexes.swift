public import JustPersist

/// Building of indexes that were declared on existing items.
///
/// A write block that declares an index for up to 10,000 items writes its entries itself. For more items, the entries
/// are written in the background after the block, in transactions of some thousands of items each. If the store is
/// closed, this continues when it is opened again. Until an index is ready, queries read the items and give the same
/// answers.
extension RecordStore {
    /// Writes all entries that indexes still lack, and returns when every index is ready.
    ///
    /// There is no need to call this: the entries are written in the background. Call it if your queries must use an
    /// index from the start, or to show the progress.
    ///
    /// The entries are written in transactions of 10,000 items, and other blocks can run in between. If the process
    /// ends, the next call or the next opening continues after the last of these transactions.
    ///
    /// - Parameter progress: Called after each transaction, on the calling thread. If it throws, the call ends with
    ///   this error. The entries that were written stay, and the rest is written in the background.
    /// - Throws: ``/JustPersist/DataStoreError/Code/notSetUp`` on a closed store; `CancellationError` in a task that is
    ///   cancelled, as if `progress` had thrown it; or what writing throws. Two items that have the same values for
    ///   unique attributes are reported to the store's error handler, and stay.
    public func buildIndexes(progress: (IndexProgress) throws -> Void) throws {
        guard hasUnfinishedIndexes else { return try gate.read {} }
        var done = 0
        var current: IndexProgress?
        while true {
            var next: IndexProgress?
            var hasMore = false
            try WorkLimit.throwingCancellation {
                try WorkLimit.check()
                try gate.write {
                    try writeBlock(ofStep: true) { block in
                        next = try block.nextIndex
                        hasMore = try block.buildIndexes(limit: WriteBlock.mostBuiltAtOnce)
                    }
                }
            }
            guard let next else { return }
            if next.attributes != current?.attributes || next.itemTypeKey != current?.itemTypeKey {
                done = 0
            }
            current = next
            done = min(done + WriteBlock.mostBuiltAtOnce, next.total)
            try progress(
                IndexProgress(
                    itemTypeKey: next.itemTypeKey, attributes: next.attributes, done: done,
                    total: next.total))
            if !hasMore { return }
        }
    }

    /// Queues the writing of entries that indexes lack, unless it is queued already.
    func buildIndexesLater() {
        let isMine = isBuilding.withLock { isBuilding in
            defer { isBuilding = true }
            return !isBuilding
        }
        guard isMine else { return }
        gate.enqueueWrite({ [weak self] in
            try self?.writeBlock(ofStep: true) { block in
                _ = try block.buildIndexes(limit: WriteBlock.mostBuiltAtOnce)
            }
        }) { [weak self] error in
            guard let self else { return }
            isBuilding.withLock { $0 = false }
            let passing: [DataStoreError.Code] = [
                .conflict, .busy, .connectionLost, .commitOutcomeUnknown,
            ]
            if let error = error as? DataStoreError, passing.contains(error.code) {
                buildLater.async(after: .milliseconds(100)) { [weak self] in
                    self?.buildIndexesLater()
                }
            } else if let error {
                // If the store was closed, this continues when it is opened again.
                if let error = error as? DataStoreError, error.code != .notSetUp { report(error) }
            } else if hasUnfinishedIndexes {
                buildIndexesLater()
            }
        }
    }
}

extension WriteBlock {
    /// The index whose entries are written next; `nil` if all are ready.
    fileprivate var nextIndex: IndexProgress? {
        get throws(DataStoreError) {
            guard
                let (type, index) = known.catalog.unfinishedIndex(except: context.failedBuilds)
            else { return nil }
            return IndexProgress(
                itemTypeKey: type.key, attributes: type.schema(of: index).attributes, done: 0,
                total: try table(of: type).count(in: reader))
        }
    }
}
