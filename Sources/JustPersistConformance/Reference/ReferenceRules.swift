package import JustPersist

/// The steps of a store in which errors are likely, as values.
///
/// The kit's own tests replace one of them with a wrong one, and verify that a check detects it.
package struct ReferenceRules: Sendable {
    /// The state of a store without a parent when it is opened.
    package var opened: @Sendable () throws(DataStoreError) -> ReferenceState = {
        () throws(DataStoreError) in ReferenceState()
    }

    /// Called when a store without a parent is closed.
    package var closed: @Sendable () -> Void = {}

    /// Called with the states of a store without a parent before and after each commit or merge, before any block sees
    /// the commit.
    package var published: (@Sendable (_ before: ReferenceState, _ after: ReferenceState) -> Void)?

    /// The id of a new item.
    package var newID: @Sendable () -> ItemID = { ItemID() }

    /// The accessor of a read block.
    package var reader: @Sendable (ReferenceBlock) -> DataStoreReader = {
        ReferenceReadAccessor($0)
    }

    /// The accessor of a write block.
    package var writer: @Sendable (ReferenceBlock) -> DataStoreWriter =
        { ReferenceWriteAccessor($0) }

    /// Called with the state of a write block after each of its changes.
    package var changed: (@Sendable (ReferenceState) -> Void)?

    /// The value that is read after a value was set.
    package var stored: @Sendable (DataStoreValue) -> DataStoreValue = { $0 }

    /// Whether a class is refused if it cannot read stored values.
    package var refusesMisfits = true

    /// The part of a declaration that the store accepts.
    package var declared: @Sendable (ItemSchema) -> ItemSchema = { $0 }

    /// The default to keep for an attribute, chosen from the recorded and the declared one.
    package var recordedDefault:
        @Sendable (_ recorded: DataStoreValue?, _ declared: AttributeSchema) -> DataStoreValue? = {
            recorded, declared in recorded ?? declared.defaultValue
        }

    /// The rows that a request finds.
    package var rows: Rows<[ReferenceRow]> = { request, state throws(DataStoreError) in
        try ReferenceQuery.rows(request, in: state)
    }

    /// The number of rows that a request finds.
    package var count: Rows<Int> = { request, state throws(DataStoreError) in
        let request = request.copy()
        let stored = try state.type(of: request.type)?.schema
        try request.validate(stored: stored)
        // The order does not affect the number.
        request.sortDescriptors = nil
        return try ReferenceQuery.rows(request, in: state).count
    }

    /// The result of an aggregation.
    package var aggregate = ReferenceAggregate()

    /// The value of an attribute of the item that a reference leads to, as a property reads it.
    package var valueOfOther:
        @Sendable (_ attribute: String, ItemReference, ReferenceState) throws(DataStoreError) ->
            DataStoreValue = { name, reference, state in
                ReferenceQuery.value(ofAttribute: name, at: reference, state)
            }

    /// An error if two items have equal unique values, and one of them did not before.
    package var violation:
        @Sendable (_ judged: ReferenceState, _ state: ReferenceState) -> DataStoreError? = {
            judged, state in ReferenceUniqueness.violation(from: judged, to: state)
        }

    /// The state of a store after a write block that succeeded.
    package var committed: Outcome = { _, after in after }

    /// The state of a store after a write block that failed.
    package var rolledBack: Outcome = { before, _ in before }

    /// The token of the state that a block sees, if the store provides tokens.
    package var token: @Sendable (ChangeToken) -> ChangeToken? = { $0 }

    /// A child's view of its parent's state.
    package var overlaid: @Sendable (ReferenceOverlay, ReferenceState) -> ReferenceState = {
        overlay, parent in overlay.applied(to: parent)
    }

    /// The state of a parent after a merge, and the conflicts.
    package var merged:
        @Sendable (ReferenceOverlay, ReferenceState, MergePolicy) -> (
            ReferenceState, [MergeConflict]
        ) = { overlay, parent, policy in
            let merge = ReferenceMerge(overlay, into: parent, policy: policy)
            return (merge.state, merge.conflicts)
        }

    /// A function that answers a request.
    package typealias Rows<Answer> =
        @Sendable (DataStoreRequest, ReferenceState) throws(DataStoreError) -> Answer
    /// A function that chooses the resulting state from the states before and after a block.
    package typealias Outcome =
        @Sendable (_ before: ReferenceState, _ after: ReferenceState) -> ReferenceState

    /// The rules of the contract.
    package init() {}
}
