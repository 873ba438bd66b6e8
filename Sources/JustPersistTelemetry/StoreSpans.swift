@_exported public import JustPersist
import Tracing

/// A span for each fetch, count and aggregation of a store, for swift-distributed-tracing.
///
/// It is a child of the current span: that of the task for `readSync` and `writeSync`, and that of the block for
/// `read(span:_:)` and `write(span:_:)`, which this product adds to every store. A query outside of any span has none. Its
/// attributes are the type and the number of the items that were found, and no values.
///
/// ```swift
/// store.log = StoreLog(logger, observers: [StoreSpans()])
/// ```
public struct StoreSpans: StoreObserver {
    /// Spans of the tracer of the process.
    public init() {}

    /// Ends a span at the time of an event, if it is a query in a span.
    public func observe(_ event: StoreEvent) {
        guard case .query(let type, let found) = event.kind, let duration = event.duration,
            let context = ServiceContext.current
        else { return }
        let end = DefaultTracerClock.now
        let nanoseconds = UInt64(max(0, duration / .nanoseconds(1)))
        let start = DefaultTracerClock.Timestamp(
            nanosecondsSinceEpoch: end.nanosecondsSinceEpoch - nanoseconds)
        let span = startSpan("justpersist.query", context: context, ofKind: .client, at: start)
        span.setAttributes(ofOperation: "query")
        span.attributes["db.collection.name"] = type
        span.attributes["db.response.returned_rows"] = found
        span.end(at: end)
    }
}

extension DataStore {
    /// Runs a read block in a span, in which the queries of the block have theirs.
    ///
    /// The span begins when the block is asked for, so it includes the time until a thread runs it.
    public func read<Value: Sendable>(
        span name: String,
        _ block: @escaping @Sendable (borrowing DataStoreReader) throws -> Value
    ) async throws -> Value {
        try await withSpan(name, ofKind: .client) { span in
            span.setAttributes(ofOperation: "read")
            let context = span.context
            return try await read { db in
                try ServiceContext.withValue(context) { try block(db) }
            }
        }
    }

    /// Queues a write block in a span, in which the queries of the block have theirs.
    ///
    /// The span ends when the block has been committed or rolled back, so it includes the time in the queue. It has the error
    /// of a block that fails.
    @discardableResult
    public func write<Value: Sendable>(
        span name: String,
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Value
    ) async throws -> Value {
        try await withSpan(name, ofKind: .client) { span in
            span.setAttributes(ofOperation: "write")
            let context = span.context
            return try await write { db in
                try ServiceContext.withValue(context) { try block(db) }
            }
        }
    }
}

extension Span {
    /// Sets the attributes that all spans of stores have.
    fileprivate func setAttributes(ofOperation name: String) {
        attributes["db.system.name"] = "justpersist"
        attributes["db.operation.name"] = name
    }
}
