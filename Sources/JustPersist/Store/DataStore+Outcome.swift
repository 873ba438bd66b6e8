/// The original library's calls, for layers over a store that need the error of a block.
extension DataStore {
    /// Runs a write block as the original's `writeSync` does, and returns the error that it has reported.
    package func outcome(
        ofWriteSync block: (borrowing DataStoreWriter) -> Void
    ) -> DataStoreError? {
        outcome {
            try performWrite { accessor in PropertyFailures.reporting { block(accessor) } }
        }
    }

    /// Queues a write block, and calls `completion` with the error that was reported.
    package func outcome(
        ofWriteAsync block: @escaping @Sendable (borrowing DataStoreWriter) -> Void,
        completion: @escaping @Sendable (DataStoreError?) -> Void
    ) {
        enqueueWrite({ accessor in PropertyFailures.reporting { block(accessor) } }) {
            [self] error in
            completion(
                outcome { if let error { throw error } })
        }
    }

    /// Runs `body`, and reports and returns the error that it throws.
    package func outcome(_ body: () throws -> Void) -> DataStoreError? {
        do {
            try body()
            return nil
        } catch {
            let failure =
                error as? DataStoreError
                ?? DataStoreError(.storageFailure, in: "store", "The store failed: \(error)")
            if !failure.isReported { report(failure) }
            return failure
        }
    }
}

extension DataStoreError {
    /// Writes the error to the log, as a store without an error handler does.
    package func logWithoutHandler() { log() }
}
