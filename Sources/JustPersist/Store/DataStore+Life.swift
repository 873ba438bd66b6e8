/// Opening and closing without waiting on the calling thread.
///
/// They have their own names, because an `async` form of ``DataStore/open()`` would replace the synchronous one in
/// every `async` function.
extension DataStore {
    /// Opens the store on another thread, and returns when it is open.
    ///
    /// No thread of Swift's cooperative pool waits meanwhile. Does nothing if the store is open.
    ///
    /// ```swift
    /// let store = LMDBDataStore(at: url)
    /// try await store.openAsync()
    /// ```
    ///
    /// - Throws: The errors of ``open()``; `CancellationError` if the task is cancelled before the store is opened.
    public func openAsync() async throws {
        try Task.checkCancellation()
        try await offThePool { try self.open() }
    }

    /// Opens the store on another thread, and then calls `completion` there, with the error if that failed.
    ///
    /// Without a `completion` a failure is reported to the error handler.
    public func openAsync(completion: (@Sendable ((any Error)?) -> Void)?) {
        Surroundings.async {
            guard let completion else { return self.setup() }
            do {
                try self.open()
                completion(nil)
            } catch {
                completion(error)
            }
        }
    }

    /// Closes the store on another thread, and returns when it is closed: its blocks have ended then, and the changes of
    /// queued blocks are durable.
    ///
    /// No thread of Swift's cooperative pool waits meanwhile. The store is closed even if the task is cancelled.
    public func closeAsync() async throws {
        try await offThePool { try self.close() }
    }

    private func offThePool(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { continuation in
            Surroundings.async { continuation.resume(with: Result { try body() }) }
        }
    }
}
