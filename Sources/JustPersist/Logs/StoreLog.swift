public import Logging

/// A log of a store's work, written with swift-log.
///
/// ```swift
/// let store = LMDBDataStore(at: url)
/// store.log = StoreLog(Logger(label: "store"), slowQueries: .milliseconds(50))
/// ```
///
/// At `debug` it logs events that matter during development: that the store was opened, closed or recovered, write
/// blocks that were rolled back, and slow queries with their plans. At `trace` it also logs each commit and each
/// query. The details are metadata: see ``Key``. Failures that the program would not see otherwise are not logged here
/// but reported: see ``DataStore/errorHandler``.
///
/// A predicate is logged with its values.
///
/// ``observers`` receive the events as values, whatever the logger's level is. If the level is higher and there are none, a
/// call only reads the level, not the clock.
public struct StoreLog: Sendable {
    /// The logger, with its level and your own metadata.
    public var logger: Logger
    /// The duration from which a query counts as slow; `nil` logs none as slow.
    ///
    /// The plan of a slow query is logged with it. A store that finds the plan only by running the query again leaves it out.
    public var slowQueries: Duration?
    /// The observers that receive the events as values, for metrics and traces.
    public var observers: [any StoreObserver]

    /// A log that writes to a logger.
    public init(
        _ logger: Logger, slowQueries: Duration? = .milliseconds(100),
        observers: [any StoreObserver] = []
    ) {
        self.logger = logger
        self.slowQueries = slowQueries
        self.observers = observers
    }

    /// A point in time from which an event is measured.
    ///
    /// `nil` if nothing is logged about the event, and nothing observed.
    public typealias Start = ContinuousClock.Instant

    /// The start of an event that is logged at a level; `nil` if nothing is logged at that level, and nothing observed.
    @inlinable
    public func start(_ level: Logger.Level) -> Start? {
        logger.logLevel <= level || !observers.isEmpty ? ContinuousClock.now : nil
    }

    /// The start of an opening, a closing or a write block; `nil` if none of them is logged or observed.
    @inlinable
    public func startOfWork() -> Start? { start(.debug) }

    /// The start of a query; `nil` if queries are neither logged, slow ones included, nor observed.
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

    /// Passes an event on to the observers.
    func observe(_ kind: StoreEvent.Kind, since start: Start?) {
        if observers.isEmpty { return }
        let event = StoreEvent(kind: kind, duration: start.map { .now - $0 })
        for observer in observers { observer.observe(event) }
    }

    /// A duration with three decimal places.
    static func milliseconds(_ duration: Duration) -> Double {
        (duration / .microseconds(1)).rounded() / 1000
    }
}

extension StoreLog {
    /// The names of the metadata.
    public enum Key: String, Sendable, CaseIterable {
        /// The event: `open`, `close`, `recover`, `commit`, `rollback`, `query`.
        case event
        /// The location of the store: its path, or `memory`.
        case store
        /// The duration.
        case milliseconds
        /// The number of types that the store knows.
        case types
        /// The number of the commit.
        case commit
        /// The number of items that were made or inserted.
        case inserted
        /// The number of items that were changed.
        case updated
        /// The number of items that were deleted.
        case deleted
        /// The number of bytes that were written.
        case bytes
        /// The number of write blocks that share the commit.
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
        /// The number of items that were found.
        case found
        /// The access path: see ``QueryPlan``.
        case plan
        /// The error.
        case error
        /// The ``DataStoreError/Code`` of the error.
        case code
    }
}
