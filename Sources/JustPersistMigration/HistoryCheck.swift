import JustPersist

/// The schema steps that two stores have applied, of which one gets the items of the other.
///
/// A step that the history of the target names never runs on the items that are copied into it.
struct HistoryCheck {
    private struct Step: Hashable {
        let plan: String
        let name: String

        init(_ step: AppliedSchemaStep) { (plan, name) = (step.plan, step.name) }
    }

    /// Whether both stores have applied the same steps.
    ///
    /// If each has applied them itself, the records of the steps differ in their ids and dates.
    static func areSame(
        _ first: borrowing DataStoreReader, _ second: borrowing DataStoreReader
    ) throws(DataStoreError) -> Bool {
        Set(try first.schemaHistory().map(Step.init))
            == Set(try second.schemaHistory().map(Step.init))
    }

    /// Throws if a target with items has applied other steps than the source.
    static func run(
        from source: borrowing DataStoreReader, to target: borrowing DataStoreReader
    ) throws {
        let (theirs, own) = (try source.schemaHistory(), try target.schemaHistory())
        let (applied, known) = (Set(theirs.map(Step.init)), Set(own.map(Step.init)))
        if applied == known { return }
        for schema in try target.schemas() where try target.performCount(schema.allItems) > 0 {
            if let step = theirs.first(where: { !known.contains(Step($0)) }) {
                throw DataStoreError(
                    .olderSchema, in: "migrate",
                    """
                    The source has applied the step “\(step.name)” of the plan “\(step.plan)”, and the target, which has items, \
                    has not. Apply the plan to the target first; nothing was written.
                    """)
            }
            let step = own.first { !applied.contains(Step($0)) }
            throw DataStoreError(
                .newerSchema, in: "migrate",
                """
                The target has applied the step “\(step?.name ?? "")” of the plan “\(step?.plan ?? "")”, and the source has \
                not: the step would never run on the items of the source. Apply the plan to the source, or to a copy of it, \
                first; nothing was written.
                """)
        }
    }
}
