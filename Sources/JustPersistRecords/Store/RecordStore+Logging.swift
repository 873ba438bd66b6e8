import Foundation
public import JustPersist

/// What the store writes to a log.
extension RecordStore {
    /// Where the store logs its work: that it was opened, closed or recovered, commits, roll-backs and queries.
    ///
    /// Set it before you open the store: it is used from the next opening on. Without one nothing is logged but the failures
    /// that no error handler is given. A child begins with its parent's.
    ///
    /// ```swift
    /// store.log = StoreLog(Logger(label: "store"), slowQueries: .milliseconds(50))
    /// ```
    ///
    /// While the plan of a slow query is logged, the query is carried out a second time, to count what it looks at.
    public var log: StoreLog? {
        get { nextLog.withLock { $0 } }
        set { nextLog.withLock { $0 = newValue } }
    }

    /// What the store is called in the log.
    var nameInLog: String { engine.storeName }
}

extension KeyValueEngine {
    /// What the store over the engine is called in messages.
    var storeName: String { directory?.path ?? traits.name }
}

extension Block {
    /// Answers a request within its deadline, and logs it.
    @inline(__always)
    func logged<Value>(
        _ request: DataStoreRequest, _ operation: @autoclosure () -> QueryPlan.Operation,
        _ count: (Value) -> Int, _ aggregation: DataStoreAggregation? = nil,
        _ body: () throws(DataStoreError) -> Value
    ) throws(DataStoreError) -> Value {
        try workSteps.count()
        guard let log = context.log, let start = log.startOfQuery() else {
            return try request.withinDeadline(aggregation, body)
        }
        let value = try request.withinDeadline(aggregation, body)
        let isSlow = log.slowQueries.map { .now - start >= $0 } ?? false
        log.queried(
            request, found: count(value), since: start,
            plan: isSlow
                ? try? request.withinDeadline(aggregation) { () throws(DataStoreError) in
                    try explain(operation(), request)
                } : nil)
        return value
    }
}

extension WriteBlock {
    /// What the block has changed, for the log.
    var changesInLog: StoreLog.Changes {
        var changes = StoreLog.Changes(bytes: changedBytes)
        for table in usedTables {
            changes.inserted += table.written.inserted
            changes.updated += table.written.updated
            changes.deleted += table.written.deleted
        }
        return changes
    }
}
