/// A store that refuses all blocks but those of a step that it applies in batches.
///
/// The stores of this package conform. Programs call ``DataStore/apply(_:allowingNewer:backup:progress:)``, which refuses steps
/// in batches for other stores.
public protocol EvolvingDataStore: DataStore {
    /// Runs a write block as ``DataStore/performWrite(_:)`` does, also while a step is unfinished.
    ///
    /// From the commit of a block that returns true until that of one that returns false, the store refuses all blocks but
    /// those of this call with ``DataStoreError/Code/migrationRunning``: in all processes, after reopening, and in copies of
    /// its files.
    ///
    /// - Parameter block: Returns whether a step is unfinished after it.
    func performStep(_ block: (borrowing DataStoreWriter) throws -> Bool) throws
}

extension DataStoreError {
    /// The refusal of a block while a step is unfinished.
    public static func migrationRunning(in operation: String) -> DataStoreError {
        DataStoreError(
            .migrationRunning, in: operation,
            """
            A step of a schema plan has changed a part of the store and is not complete. Wait until the program that applies \
            it has finished, or apply the plan again: it goes on after the last batch.
            """)
    }
}
