import Foundation
public import JustPersist

/// The store's log.
extension RecordStore {
    /// The log of the store's work: opening, recovery, closing, commits, roll-backs and queries.
    ///
    /// Set the log before you open the store: a change takes effect at the next opening. Without a log, only failures
    /// are logged, and only if there is no error handler. A child starts with its parent's log.
    ///
    /// ```swift
    /// store.log = StoreLog(Logger(label: "store"), slowQueries: .milliseconds(50))
    /// ```
    ///
    /// When the plan of a slow query is logged, the query runs a second time, to count the entries and records that it
    /// reads.
    public var log: StoreLog? {
        get { nextLog.withLock { $0 } }
        set { nextLog.withLock { $0 = newValue } }
    }

    /// The store's name in the log.
    var nameInLog: String { engine.storeName }
}

extension KeyValueEngine {
    /// The name of the engine's store in messages.
    var storeName: String { directory?.path ?? traits.name }
}

extension Block {
    /// Executes a request within its deadline, and logs the query.
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
    /// The changes of the block, for the log.
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
