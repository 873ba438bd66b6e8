extension DataStoreError {
    /// The refusal to write to an item that is read-only, or whose block has ended.
    public static func itemNotMutable(_ itemType: String, attribute: String) -> DataStoreError {
        DataStoreError(
            .itemNotMutable, in: "setValue",
            """
            The “\(itemType)” is read-only, so “\(attribute)” was not changed. Change items inside a \
            write block; mutableVersion(ofItem:) gives the live object for this one.
            """, itemType: itemType, attribute: attribute)
    }

    /// The refusal of an attribute that the type does not declare.
    public static func unknownAttribute(
        _ attribute: String, ofType itemType: String, in operation: String
    ) -> DataStoreError {
        DataStoreError(
            .unknownAttribute, in: operation,
            "“\(itemType)” has no attribute “\(attribute)”.",
            advice: "Declare it in the item class, or check the spelling.",
            itemType: itemType, attribute: attribute)
    }

    /// The refusal of a call on a store that is not open.
    public static func notSetUp(in operation: String) -> DataStoreError {
        DataStoreError(
            .notSetUp, in: operation,
            "The store is not set up. Call setup() or open() first; tearDown() ends its use.")
    }

    /// The refusal of a second write block on a thread that is inside one.
    public static func nestedWrite(in operation: String) -> DataStoreError {
        DataStoreError(
            .nestedWrite, in: operation,
            """
            This thread is inside a write block of the same store, and blocks of one store run one by \
            one. Use the accessor of the open block, or writeAsync for later.
            """)
    }

    /// The refusal of child stores by a store that makes none.
    public static func childStoresUnsupported(in operation: String) -> DataStoreError {
        DataStoreError(
            .unsupported, in: operation,
            """
            There are no child stores here; capabilities.childStores says where there are. Make the \
            changes in a write block, which can be rolled back too.
            """)
    }

    /// The refusal to merge a store that is not a child of the store it was to be merged into.
    public static func incompatibleChildDataStore() -> DataStoreError {
        DataStoreError(
            .incompatibleChildDataStore, in: "merge",
            """
            The store to merge is not a child of this store, and nothing was changed. Merge a child into \
            the store whose makeChild() or makeChildDataStore() gave it.
            """)
    }

    /// The refusal to merge a child whose changes conflict with its parent's.
    public static func mergeConflict(_ conflicts: [MergeConflict]) -> DataStoreError {
        let listed = conflicts.prefix(10).map { "\($0)" }.joined(separator: "; ")
        let more = conflicts.count > 10 ? "; and \(conflicts.count - 10) more" : ""
        var error = DataStoreError(
            .mergeConflict, in: "merge",
            """
            The child and its parent changed the same, so nothing was merged: \(listed)\(more). Merge \
            with the policy childWins or parentWins, or change the child.
            """, itemType: conflicts.first?.itemType, attribute: conflicts.first?.attribute)
        error.conflicts = conflicts
        return error
    }

    /// The refusal of a write to a store that was opened read-only.
    public static func readOnly(in operation: String) -> DataStoreError {
        DataStoreError(
            .readOnly, in: operation,
            "The store was opened read-only.", advice: "Open it for writing to change it.")
    }

    /// The refusal to return the items of a request as a class to which they do not belong.
    @usableFromInline
    static func request(
        _ request: DataStoreRequest, usedFor type: any DataStoreItem.Type
    ) -> DataStoreError {
        DataStoreError(
            .invalidRequest, in: "fetch",
            """
            The request is for items of “\(request.type.key)” as \(request.itemType), and they were asked for as \
            \(type). Make the request for that class.
            """, itemType: request.type.key)
    }

    /// The refusal to return the item of a reference as one of another type.
    @usableFromInline
    static func reference(
        _ reference: ItemReference, usedFor type: any DataStoreItem.Type
    ) -> DataStoreError {
        DataStoreError(
            .invalidRequest, in: "fetch",
            """
            The reference points to an item of “\(reference.itemTypeKey)”, and was used for one of \
            “\(type.itemTypeKey)”. Look at its itemTypeKey first.
            """, itemType: reference.itemTypeKey)
    }
}
