package import JustPersist

/// The steps of a store in which most stores go wrong, as values: the kit's own tests put a wrong one in the
/// place of one of these, and see that a check notices.
package struct ReferenceRules: Sendable {
    /// What a store without a parent holds when it is opened.
    package var opened: @Sendable () throws(DataStoreError) -> ReferenceState = {
        () throws(DataStoreError) in ReferenceState()
    }

    /// Is told that a store without a parent is closed.
    package var closed: @Sendable () -> Void = {}

    /// Is shown what a store without a parent holds before and after each commit, merges included, before
    /// anybody sees it.
    package var published: (@Sendable (_ before: ReferenceState, _ after: ReferenceState) -> Void)?

    /// The id of a new item.
    package var newID: @Sendable () -> ItemID = { ItemID() }

    /// What a read block is given to read with.
    package var reader: @Sendable (ReferenceBlock) -> DataStoreReader = {
        ReferenceReadAccessor($0)
    }

    /// What a write block is given to write with.
    package var writer: @Sendable (ReferenceBlock) -> DataStoreWriter =
        { ReferenceWriteAccessor($0) }

    /// Is shown what a write block has made so far, at each change.
    package var changed: (@Sendable (ReferenceState) -> Void)?

    /// What comes back of a value that was set.
    package var stored: @Sendable (DataStoreValue) -> DataStoreValue = { $0 }

    /// What the store takes from a declaration.
    package var declared: @Sendable (ItemSchema) -> ItemSchema = { $0 }

    /// The default to keep of an attribute, of that which is recorded and that which is declared.
    package var recordedDefault:
        @Sendable (_ recorded: DataStoreValue?, _ declared: AttributeSchema) -> DataStoreValue? = {
            recorded, declared in recorded ?? declared.defaultValue
        }

    /// The rows that a request asks for.
    package var rows: Rows<[ReferenceRow]> = { request, state throws(DataStoreError) in
        try ReferenceQuery.rows(request, in: state)
    }

    /// How many rows a request asks for.
    package var count: Rows<Int> = { request, state throws(DataStoreError) in
        let request = request.copy()
        let stored = try state.type(of: request.type)?.schema
        try request.validate(stored: stored)
        // The order does not change the number.
        request.sortDescriptors = nil
        return try ReferenceQuery.rows(request, in: state).count
    }

    /// What an aggregation gives.
    package var aggregate = ReferenceAggregate()

    /// What a property finds at an attribute of the item that a reference leads to.
    package var valueOfOther:
        @Sendable (_ attribute: String, ItemReference, ReferenceState) throws(DataStoreError) ->
            DataStoreValue = { name, reference, state in
                ReferenceQuery.value(ofAttribute: name, at: reference, state)
            }

    /// Two items that agree in what is declared unique, of which one has come to it between two states.
    package var violation:
        @Sendable (_ judged: ReferenceState, _ state: ReferenceState) -> DataStoreError? = {
            judged, state in ReferenceUniqueness.violation(from: judged, to: state)
        }

    /// What a store holds after a write block that went well.
    package var committed: Outcome = { _, after in after }

    /// What a store holds after a write block that failed.
    package var rolledBack: Outcome = { before, _ in before }

    /// The token of the state that a block sees, if the store gives any.
    package var token: @Sendable (ChangeToken) -> ChangeToken? = { $0 }

    /// What a child sees over its parent's state.
    package var overlaid: @Sendable (ReferenceOverlay, ReferenceState) -> ReferenceState = {
        overlay, parent in overlay.applied(to: parent)
    }

    /// What a parent holds after a merge, and what both had changed.
    package var merged:
        @Sendable (ReferenceOverlay, ReferenceState, MergePolicy) -> (
            ReferenceState, [MergeConflict]
        ) = { overlay, parent, policy in
            let merge = ReferenceMerge(overlay, into: parent, policy: policy)
            return (merge.state, merge.conflicts)
        }

    /// An answer to a request.
    package typealias Rows<Answer> =
        @Sendable (DataStoreRequest, ReferenceState) throws(DataStoreError) -> Answer
    /// A choice between the states before and after a block.
    package typealias Outcome =
        @Sendable (_ before: ReferenceState, _ after: ReferenceState) -> ReferenceState

    /// The right rules.
    package init() {}
}
