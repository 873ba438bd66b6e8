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
    /// - Parameters:
    ///   - operation: The call that is refused.
    ///   - step: The step, if it is known.
    public static func migrationRunning(
        in operation: String, of step: AppliedSchemaStep? = nil
    ) -> DataStoreError {
        let name = step.map { "The step “\($0.name)” of the plan “\($0.plan)”" }
        return DataStoreError(
            .migrationRunning, in: operation,
            """
            \(name ?? "A step of a schema plan") has changed a part of the store and is not complete. Wait until the program \
            that applies it has finished, open the store with the plan that has the step, or restore the backup.
            """)
    }

    /// The failure of a store that does not return the record of a step that it has applied, and would apply it for ever.
    static func unrecorded(step: String, of plan: String) -> DataStoreError {
        DataStoreError(
            .corrupted, in: "apply",
            """
            The store does not return the record of the step “\(step)” of the plan “\(plan)” after applying it. The step \
            was rolled back. Verify the store, or report this to the author of its backend.
            """)
    }

    /// The refusal of a step while the store has open children.
    package static func openChildren(in operation: String) -> DataStoreError {
        DataStoreError(
            .unsupported, in: operation,
            """
            The store has open children, whose changes could bring back the values from before a step. Merge and close \
            them first; nothing was changed.
            """)
    }

    /// The refusal of a child's changes that were made before a step.
    package static func changesBeforeStep() -> DataStoreError {
        DataStoreError(
            .newerSchema, in: "merge",
            """
            The store has applied steps of a schema plan since the child began to change it, and the child's changes could \
            bring back values from before them. Nothing was merged; close the child, and make its changes again in a new one.
            """)
    }

    /// This error, as that of a step of a plan and perhaps of the item that it changed.
    func ofStep(
        _ step: String, of plan: String, changing item: ItemReference? = nil
    ) -> DataStoreError {
        let place = item.map { " at the item \($0.id) of “\($0.itemTypeKey)”" } ?? ""
        var error = self
        error.fact = "The step “\(step)” of the plan “\(plan)” failed\(place): \(fact)"
        return error
    }
}
