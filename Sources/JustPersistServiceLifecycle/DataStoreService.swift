@_exported public import JustPersist
public import ServiceLifecycle

/// A store as a service: open while the program runs, and closed when it shuts down.
///
/// ```swift
/// let group = ServiceGroup(
///     services: [DataStoreService(store), server],
///     gracefulShutdownSignals: [.sigterm, .sigint],
///     logger: logger)
/// try await group.run()
/// ```
///
/// A group shuts its services down in reverse order: list the store before the services that use it, so that it is
/// closed after they have ended. Closing waits for the blocks that run, and for the queued ones, whose changes are
/// then durable.
///
/// The services of a group start concurrently, so a service that uses the store may start before the store is open.
/// Open the store before you run the group, or call ``waitUntilOpen()`` first in such a service.
public struct DataStoreService: Service {
    /// The store.
    public let store: any DataStore

    /// The service of a store, which may be open already.
    public init(_ store: any DataStore) { self.store = store }

    /// Opens the store unless it is open, waits until the program shuts down or the task is cancelled, and closes the
    /// store.
    ///
    /// No thread of Swift's cooperative pool is blocked.
    ///
    /// - Throws: The error of opening or closing the store.
    public func run() async throws {
        // If the task is cancelled already, the store is not opened.
        if Task.isCancelled { return }
        try await store.openAsync()
        await untilShutdown()
        try await store.closeAsync()
    }

    /// Opens the store unless it is open, and returns when it is.
    ///
    /// Call it in services that need the store immediately. ``run()`` closes the store at the end.
    public func waitUntilOpen() async throws { try await store.openAsync() }

    private func untilShutdown() async {
        // Throws if the task is cancelled, which ends the service in the same way.
        try? await gracefulShutdown()
    }
}
