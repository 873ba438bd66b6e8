extension DataStore {
    /// Runs a write block, and refuses it if a step is unfinished after it.
    public func performStep(_ block: (borrowing DataStoreWriter) throws -> Bool) throws {
        try performWrite { db in
            guard try block(db) else { return }
            throw DataStoreError(
                .unsupported, in: "apply",
                "This store applies no steps in batches. Make the change in a step that runs as a whole."
            )
        }
    }
}

extension DataStoreError {
    /// The refusal of a block while a step is unfinished.
    ///
    /// - Parameter step: The step, if it is known.
    public static func migrationRunning(
        in operation: String, of step: AppliedSchemaStep? = nil
    ) -> DataStoreError {
        let name = step.map { "The step “\($0.name)” of the plan “\($0.plan)”" }
        return DataStoreError(
            .migrationRunning, in: operation,
            """
            \(name ?? "A step of a schema plan") has changed a part of the store and is not complete. Wait until the program \
            that applies it has finished, or apply the plan again: it goes on after the last batch.
            """)
    }
}
