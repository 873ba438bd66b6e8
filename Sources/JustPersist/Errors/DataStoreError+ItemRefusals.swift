/// Predefined errors for the operations that every write block refuses.
extension DataStoreError {
    /// The error for making an item of a type that has no class and was not declared.
    public static func undeclaredType(_ key: String, in operation: String) -> DataStoreError {
        DataStoreError(
            .couldNotCreateItemOfType, in: operation,
            """
            The store does not know the type “\(key)”, and it has no item class.
            """, advice: "Declare its attributes first, with declare(_:).", itemType: key)
    }

    /// The error for making or changing items of a class that is not a ``MutableDataStoreItem``.
    public static func readOnlyClass(
        _ code: Code, _ key: String, in operation: String
    ) -> DataStoreError {
        DataStoreError(
            code, in: operation,
            "“\(key)” is read-only: its class does not conform to MutableDataStoreItem.",
            itemType: key)
    }

    /// The error for changing an item that was deleted in the same block.
    public static func itemDeleted(
        _ id: ItemID, ofType itemType: String, attribute: String
    ) -> DataStoreError {
        DataStoreError(
            .itemDeleted, in: "setValue",
            "The “\(itemType)” \(id) was deleted, so “\(attribute)” was not changed.",
            itemType: itemType, attribute: attribute)
    }

    /// The error for inserting an item that was deleted.
    public static func deletedForGood(
        _ item: any DataStoreItem, in operation: String
    ) -> DataStoreError {
        DataStoreError(
            .itemDeleted, in: operation,
            """
            The \(item.title) was deleted and cannot come back. Create a new item and copy the values.
            """, itemType: item.backing.itemTypeKey)
    }

    /// The error for deleting or changing an item that was not inserted.
    public static func itemInNoStore(_ item: any DataStoreItem, in operation: String)
        -> DataStoreError
    {
        DataStoreError(
            .foreignItem, in: operation, "The \(item.title) is in no store; insert it first.",
            itemType: item.backing.itemTypeKey)
    }

    /// The error for using an item that belongs to another store.
    public static func itemOfAnotherStore(
        _ item: any DataStoreItem, in operation: String
    ) -> DataStoreError {
        DataStoreError(
            .foreignItem, in: operation,
            """
            The \(item.title) belongs to another store. Make a new item here and copy the values.
            """, itemType: item.backing.itemTypeKey)
    }

    /// The error for a change that would take a write block over its size limit.
    ///
    /// Pass the attribute that was set, or `nil` if an item was added.
    public static func blockTooLarge(
        limit: Int, itemType: String, attribute: String?
    ) -> DataStoreError {
        let refused =
            attribute.map { "“\($0)” of the “\(itemType)” was not changed" }
            ?? "no “\(itemType)” was made"
        return DataStoreError(
            .limitExceeded, in: attribute == nil ? "create" : "setValue",
            """
            With this the block would change more than the limit of \(limit) bytes for a write block, so \
            \(refused).
            """, advice: "Split the work into several blocks.", itemType: itemType,
            attribute: attribute)
    }

    /// The error for fetching a stored item as a second class in the same block.
    public static func item(
        _ item: any DataStoreItem, usedAs itemClass: any DataStoreItem.Type, in operation: String
    ) -> DataStoreError {
        DataStoreError(
            .invalidRequest, in: operation,
            """
            The \(item.title) is in use in this block as \(type(of: item)), so it cannot be had as \
            \(itemClass) too. Use one class for it in one block.
            """, itemType: item.backing.itemTypeKey)
    }
}

extension DataStoreItem {
    fileprivate var title: String { "“\(backing.itemTypeKey)” \(uniqueToken)" }
}
