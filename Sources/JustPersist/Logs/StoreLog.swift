public import Logging

/// What a store writes to a log about its work, with swift-log.
///
/// ```swift
/// let store = LMDBDataStore(at: url)
/// store.log = StoreLog(Logger(label: "store"), slowQueries: .milliseconds(50))
/// ```
///
/// At `debug` it logs what is worth knowing while a program is developed: that the store was opened, closed or recovered, write
/// blocks that were rolled back, and slow queries with their plans. At `trace` each commit and each query. The details are metadata:
/// see ``Key``. Failures that the program does not see otherwise are not logged here but reported: see
/// ``DataStore/errorHandler``.
///
/// A predicate is logged with the values in it.
///
/// While the logger's level is higher, a call costs a look at the level, and no look at the clock.
public struct StoreLog: Sendable {
    /// Where to, from which level on, and with which metadata of your own.
    public var logger: Logger
    /// From how long on a query is slow; `nil` logs none as slow.
    ///
    /// The plan of a slow query is logged with it. A store that finds the plan only by running the query again leaves it out.
    public var slowQueries: Duration?

    /// A log that goes to a logger.
    public init(_ logger: Logger, slowQueries: Duration? = .milliseconds(100)) {
        self.logger = logger
        self.slowQueries = slowQueries
    }

    /// A point in time from which an event is measured.
    ///
    /// `nil` if nothing is logged about the event.
    public typealias Start = ContinuousClock.Instant

    /// The start of something that is logged at a level; `nil` if nothing is logged at that level.
    @inlinable
    public func start(_ level: Logger.Level) -> Start? {
        logger.logLevel <= level ? ContinuousClock.now : nil
    }

    /// The start of an opening, a closing or a write block; `nil` if none of them is logged.
    @inlinable
    public func startOfWork() -> Start? { start(.debug) }

    /// The start of a query: `nil` if queries are not logged, slow ones included.
    @inlinable
    public func startOfQuery() -> Start? { start(slowQueries == nil ? .trace : .debug) }

    /// Writes a line with the time since a start.
    func write(
        _ level: Logger.Level, _ message: @autoclosure () -> Logger.Message, since start: Start?,
        _ metadata: @autoclosure () -> [Key: Logger.MetadataValue]
    ) {
        guard logger.logLevel <= level else { return }
        var all: Logger.Metadata = [:]
        for (key, value) in metadata() { all[key.rawValue] = value }
        if let start { all[Key.milliseconds.rawValue] = "\(Self.milliseconds(.now - start))" }
        logger.log(level: level, message(), metadata: all)
    }

    /// A duration with three digits behind the point.
    static func milliseconds(_ duration: Duration) -> Double {
        (duration / .microseconds(1)).rounded() / 1000
    }
}

extension StoreLog {
    /// The names of the details.
    public enum Key: String, Sendable, CaseIterable {
        /// What was done: `open`, `close`, `recover`, `commit`, `rollback`, `query`.
        case event
        /// Where the store is: its path, or `memory`.
        case store
        /// How long it took.
        case milliseconds
        /// The number of types that the store knows.
        case types
        /// The number of the commit.
        case commit
        /// How many items were made or inserted.
        case inserted
        /// How many items were changed.
        case updated
        /// How many items were deleted.
        case deleted
        /// How many bytes of changes were written.
        case bytes
        /// How many write blocks share the commit.
        case blocks
        /// The key of the items' type.
        case itemType = "type"
        /// The predicate of a query, with its values.
        case predicate
        /// The order of a query.
        case sort
        /// The offset of a query.
        case offset
        /// The limit of a query.
        case limit
        /// How many items were found.
        case found
        /// The way to the items: see ``QueryPlan``.
        case plan
        /// What went wrong.
        case error
        /// The ``DataStoreError/Code`` of what went wrong.
        case code
    }
}
