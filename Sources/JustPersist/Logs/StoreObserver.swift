/// Receives what a store does, for metrics and traces.
///
/// ```swift
/// struct SlowCommits: StoreObserver {
///     func observe(_ event: StoreEvent) {
///         if case .commit = event.kind, let duration = event.duration, duration > .seconds(1) { alert(duration) }
///     }
/// }
///
/// store.log = StoreLog(logger, observers: [SlowCommits()])
/// ```
///
/// The product `JustPersistTelemetry` has observers for swift-metrics and swift-distributed-tracing.
public protocol StoreObserver: Sendable {
    /// Receives an event after it has happened, on the thread of the event.
    ///
    /// The store waits for the call. It must not use the store.
    func observe(_ event: StoreEvent)
}

/// Something that a store did.
public struct StoreEvent: Sendable {
    /// The kinds of events.
    ///
    /// A later release may add some.
    public enum Kind: Sendable {
        /// The store was opened.
        case open
        /// The store was closed.
        case close
        /// The engine has repaired its files during opening.
        case recover
        /// A write block was committed.
        case commit(StoreLog.Changes)
        /// A write block was rolled back because of an error; the code is `nil` if the error is one of the program.
        case rollback(DataStoreError.Code?)
        /// A query was answered with a number of items of a type, or of rows of an aggregation.
        case query(type: String, found: Int)
    }

    /// What has happened.
    public let kind: Kind
    /// The time that it took; `nil` if it was not measured.
    public let duration: Duration?
}
