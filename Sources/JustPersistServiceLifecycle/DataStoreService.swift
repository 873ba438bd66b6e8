@_exported public import JustPersist
public import ServiceLifecycle

/// A store as a service: open while the program runs, and closed when that shuts down.
///
/// ```swift
/// let group = ServiceGroup(
///     services: [DataStoreService(store), server],
///     gracefulShutdownSignals: [.sigterm, .sigint],
///     logger: logger)
/// try await group.run()
/// ```
///
/// A group shuts its services down in the opposite order of the list: put the store before those that use it, so that it is
/// closed after they have ended. Closing waits for the blocks that run, and for the queued ones, whose changes are durable then.
///
/// The services of a group start together, so a service behind the store may come before it is open. Open the store before
/// you run the group, or call ``waitUntilOpen()`` first there.
public struct DataStoreService: Service {
    /// The store.
    public let store: any DataStore

    /// The service of a store, which may be open already.
    public init(_ store: any DataStore) { self.store = store }

    /// Opens the store unless it is open, waits until the program shuts down or the task is cancelled, and closes the store.
    ///
    /// No thread of Swift's cooperative pool waits for the store.
    ///
    /// - Throws: That the store cannot be opened or closed.
    public func run() async throws {
        // A task that is cancelled already opens nothing.
        if Task.isCancelled { return }
        try await store.openAsync()
        await untilShutdown()
        try await store.closeAsync()
    }

    /// Opens the store unless it is open, and returns when it is.
    ///
    /// For services that need the store at once. ``run()`` closes it in the end.
    public func waitUntilOpen() async throws { try await store.openAsync() }

    private func untilShutdown() async {
        // Thrown when the task is cancelled, which ends the service in the same way.
        try? await gracefulShutdown()
    }
}
