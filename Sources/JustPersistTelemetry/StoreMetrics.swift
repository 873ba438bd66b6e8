public import CoreMetrics
@_exported public import JustPersist
import Metrics
import Synchronization

/// Metrics of a store's work, for swift-metrics.
///
/// ```swift
/// store.log = StoreLog(logger, observers: [StoreMetrics(store: "orders")])
/// ```
///
/// | metric | kind | dimensions |
/// |---|---|---|
/// | `justpersist.commit.duration` | timer, from the beginning of a write block to its commit | `store` |
/// | `justpersist.items.written` | counter | `store`; `change`: `inserted`, `updated`, `deleted` |
/// | `justpersist.bytes.written` | counter | `store` |
/// | `justpersist.rollbacks` | counter of write blocks | `store`; `code`, that of the error, or `none` for the program's own |
/// | `justpersist.query.duration` | timer | `store`, `type` |
/// | `justpersist.items.found` | counter | `store`, `type` |
///
/// A query is a fetch, a count or an aggregation, and is counted when it is answered. Walks over items, streams of items and
/// fetches by id are not counted.
public final class StoreMetrics: StoreObserver {
    private struct Queries: Sendable {
        let duration: Timer
        let found: Counter
    }

    private let factory: any MetricsFactory
    private let dimensions: [(String, String)]
    private let commits: Timer
    private let inserted, updated, deleted, bytes: Counter
    private let queries = Mutex<[String: Queries]>([:])

    /// Metrics with the dimension `store`.
    ///
    /// - Parameters:
    ///   - name: A name for the store, which differs from those of the program's other stores.
    ///   - factory: The backend of the metrics: that of the process, unless another one is given.
    public init(store name: String, factory: any MetricsFactory = MetricsSystem.factory) {
        let dimensions = [("store", name)]
        func items(_ change: String) -> Counter {
            Counter(
                label: "justpersist.items.written", dimensions: dimensions + [("change", change)],
                factory: factory)
        }
        self.factory = factory
        self.dimensions = dimensions
        commits = Timer(
            label: "justpersist.commit.duration", dimensions: dimensions, factory: factory)
        (inserted, updated, deleted) = (items("inserted"), items("updated"), items("deleted"))
        bytes = Counter(
            label: "justpersist.bytes.written", dimensions: dimensions, factory: factory)
    }

    /// Counts an event.
    public func observe(_ event: StoreEvent) {
        switch event.kind {
        case .commit(let changes):
            if let duration = event.duration { commits.record(duration: duration) }
            inserted.increment(by: changes.inserted)
            updated.increment(by: changes.updated)
            deleted.increment(by: changes.deleted)
            bytes.increment(by: changes.bytes)
        case .rollback(let code):
            Counter(
                label: "justpersist.rollbacks",
                dimensions: dimensions + [("code", code?.rawValue ?? "none")], factory: factory
            ).increment()
        case .query(let type, let found):
            let queries = queries(of: type)
            if let duration = event.duration { queries.duration.record(duration: duration) }
            queries.found.increment(by: found)
        default: break
        }
    }

    private func queries(of type: String) -> Queries {
        queries.withLock { known in
            if let found = known[type] { return found }
            let dimensions = dimensions + [("type", type)]
            let made = Queries(
                duration: Timer(
                    label: "justpersist.query.duration", dimensions: dimensions, factory: factory),
                found: Counter(
                    label: "justpersist.items.found", dimensions: dimensions, factory: factory))
            known[type] = made
            return made
        }
    }
}
