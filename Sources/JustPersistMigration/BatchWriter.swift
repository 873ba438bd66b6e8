import JustPersist

/// Writes batches in order on a separate thread, while the next one is read.
final class BatchWriter {
    private let isConcurrent: Bool
    private let outcome = Locked<Result<Void, any Error>?>(nil)
    /// The batch that is being written.
    private var batch: (itemType: String, items: Int, bytes: Int)?

    /// A writer for a target.
    init(for target: any DataStore) {
        // Blocks on the main thread would wait for the caller there, which waits for them.
        isConcurrent = !target.capabilities.threading.writesOnMainThread
    }

    /// Waits for the previous batch, reports it, and begins to write this one.
    func write(
        _ itemType: String, items: Int, bytes: Int, _ progress: inout MigrationProgress,
        _ report: (MigrationProgress) throws -> Void, _ body: @escaping @Sendable () throws -> Void
    ) throws {
        try finish(&progress, report)
        batch = (itemType, items, bytes)
        let work: @Sendable () -> Void = { [outcome] in
            let result = Result { try body() }
            outcome.change { $0 = result }
        }
        if isConcurrent { WaitingThreads.run(work) } else { work() }
    }

    /// Waits for the last batch, and reports it.
    func finish(
        _ progress: inout MigrationProgress, _ report: (MigrationProgress) throws -> Void
    ) throws {
        guard let batch else { return }
        try end()?.get()
        progress.advance(batch.itemType, items: batch.items, bytes: batch.bytes)
        try report(progress)
    }

    /// Waits for the last batch, even if it fails: nothing is written after the end of a migration.
    @discardableResult
    func end() -> Result<Void, any Error>? {
        guard batch != nil else { return nil }
        batch = nil
        return outcome.wait { $0.take() }
    }
}
