import Logging

/// The events that a store logs, each after it has happened.
extension StoreLog {
    /// The store was opened, since `start(.debug)`.
    public func opened(_ store: String, types: Int, since start: Start?) {
        observe(.open, since: start)
        write(
            .debug, "opened the store at \(store)", since: start,
            [.event: "open", .store: "\(store)", .types: "\(types)"])
    }

    /// The store was closed, since `start(.debug)`.
    public func closed(_ store: String, since start: Start?) {
        observe(.close, since: start)
        write(
            .debug, "closed the store at \(store)", since: start,
            [.event: "close", .store: "\(store)"])
    }

    /// The engine has repaired its files during opening.
    public func recovered(_ store: String, _ error: DataStoreError) {
        observe(.recover, since: nil)
        write(
            .debug, "recovered the store at \(store): \(error.message)", since: nil,
            [
                .event: "recover", .store: "\(store)", .code: "\(error.code.rawValue)",
                .error: "\(error.message)",
            ])
    }

    /// The changes of a write block.
    public struct Changes: Sendable, Hashable {
        /// The number of items that were made or inserted.
        public var inserted: Int
        /// The number of items that were changed.
        public var updated: Int
        /// The number of items that were deleted.
        public var deleted: Int
        /// The approximate number of bytes that were written.
        public var bytes: Int

        /// The changes of a write block.
        public init(inserted: Int = 0, updated: Int = 0, deleted: Int = 0, bytes: Int = 0) {
            self.inserted = inserted
            self.updated = updated
            self.deleted = deleted
            self.bytes = bytes
        }
    }

    /// Write blocks were committed, since `start(.trace)` at the beginning of the first one.
    ///
    /// `changes` is called only if it is logged or observed.
    public func committed(
        _ commit: UInt64?, blocks: Int = 1, since start: Start?,
        _ changes: @autoclosure () -> Changes
    ) {
        let isLogged = logger.logLevel <= .trace
        guard isLogged || !observers.isEmpty else { return }
        let changes = changes()
        observe(.commit(changes), since: start)
        guard isLogged else { return }
        var metadata: [Key: Logger.MetadataValue] = [
            .event: "commit", .inserted: "\(changes.inserted)", .updated: "\(changes.updated)",
            .deleted: "\(changes.deleted)", .bytes: "\(changes.bytes)", .blocks: "\(blocks)",
        ]
        if let commit { metadata[.commit] = "\(commit)" }
        write(
            .trace,
            """
            committed \(changes.inserted) inserted, \(changes.updated) updated and \
            \(changes.deleted) deleted items
            """, since: start, metadata)
    }

    /// A write block was rolled back, since `start(.debug)`, because of an error: the block's own or the store's.
    public func rolledBack(_ error: any Error, since start: Start?) {
        let code = (error as? DataStoreError)?.code
        observe(.rollback(code), since: start)
        write(
            .debug, "rolled a write block back: \(error)", since: start,
            [.event: "rollback", .error: "\(error)", .code: "\(code?.rawValue ?? "none")"])
    }

    /// A query was answered, since ``startOfQuery()``.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - found: The number of items that it returned.
    ///   - start: The start of the query; without it, nothing is logged.
    ///   - plan: The plan, if the store knows it; called only if it is logged.
    public func queried(
        _ request: DataStoreRequest, found: Int, since start: Start?,
        plan: @autoclosure () -> QueryPlan? = nil
    ) {
        guard let start else { return }
        observe(.query(type: request.type.key, found: found), since: start)
        let duration = ContinuousClock.now - start
        let isSlow = slowQueries.map { duration >= $0 } ?? false
        let level: Logger.Level = isSlow ? .debug : .trace
        guard logger.logLevel <= level else { return }
        write(
            level,
            """
            \(isSlow ? "slow query" : "query") of “\(request.type.key)”: \
            \(Self.milliseconds(duration)) ms
            """, since: start, details(of: request, found, plan()))
    }

    private func details(
        of request: DataStoreRequest, _ found: Int, _ plan: QueryPlan?
    ) -> [Key: Logger.MetadataValue] {
        var details: [Key: Logger.MetadataValue] = [
            .event: "query", .itemType: "\(request.type.key)", .found: "\(found)",
        ]
        if let predicate = request.predicate { details[.predicate] = "\(predicate)" }
        if let sort = request.sortDescriptors, !sort.isEmpty {
            details[.sort] = .array(sort.map { "\($0.key) \($0.ascending ? "up" : "down")" })
        }
        if let offset = request.offset { details[.offset] = "\(offset)" }
        if let limit = request.limit { details[.limit] = "\(limit)" }
        if let plan { details[.plan] = "\(plan)" }
        return details
    }
}
