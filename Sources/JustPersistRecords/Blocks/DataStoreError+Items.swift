import JustPersist

/// What a write block refuses.
extension DataStoreError {
    static func undeclaredType(_ key: String, in operation: String) -> DataStoreError {
        DataStoreError(
            .couldNotCreateItemOfType, in: operation,
            """
            The store does not know the type “\(key)”, and it has no item class. Declare its attributes \
            first, with declare(_:).
            """, itemType: key)
    }

    static func readOnlyClass(
        _ code: Code, _ key: String, in operation: String
    ) -> DataStoreError {
        DataStoreError(
            code, in: operation,
            "“\(key)” is read-only: its class does not conform to MutableDataStoreItem.",
            itemType: key)
    }

    static func deletedForGood(
        _ item: any DataStoreItem, in operation: String
    ) -> DataStoreError {
        DataStoreError(
            .itemDeleted, in: operation,
            """
            The \(item.title) was deleted and cannot come back. Create a new item and copy the values.
            """, itemType: item.backing.itemTypeKey)
    }

    static func itemInNoStore(_ item: any DataStoreItem, in operation: String) -> DataStoreError {
        DataStoreError(
            .foreignItem, in: operation, "The \(item.title) is in no store; insert it first.",
            itemType: item.backing.itemTypeKey)
    }

    static func itemOfAnotherStore(
        _ item: any DataStoreItem, in operation: String
    ) -> DataStoreError {
        DataStoreError(
            .foreignItem, in: operation,
            """
            The \(item.title) belongs to another store. Make a new item here and copy the values.
            """, itemType: item.backing.itemTypeKey)
    }

    static func blockTooLarge(limit: Int) -> DataStoreError {
        DataStoreError(
            .limitExceeded, in: "write",
            """
            The block changes more than the limit of \(limit) bytes. Nothing was changed; split the work \
            into several blocks.
            """)
    }

    static func item(
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
