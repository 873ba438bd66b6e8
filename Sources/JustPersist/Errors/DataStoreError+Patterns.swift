/// Codes as patterns, which distinguish errors in `catch` clauses:
///
/// ```swift
/// do {
///     try store.write { db in try db.delete(item) }
/// } catch DataStoreError.couldNotDeleteItem {
///     …
/// } catch DataStoreError.Code.storageFull {
///     …
/// }
/// ```
extension DataStoreError.Code {
    /// Whether an error is a ``DataStoreError`` with that code.
    public static func ~= (code: Self, error: any Error) -> Bool {
        (error as? DataStoreError)?.code == code
    }
}

/// The original library's cases.
extension DataStoreError {
    /// The code of the error that no item could be created.
    public static let couldNotCreateItemOfType = Code.couldNotCreateItemOfType
    /// The code of the error that an item could not be deleted.
    public static let couldNotDeleteItem = Code.couldNotDeleteItem
    /// The code of the error that the items of a type could not be deleted.
    public static let couldNotDeleteItemsOfType = Code.couldNotDeleteItemsOfType
    /// The code of the error that no mutable version of an item is available.
    public static let couldNotFetchMutableVersion = Code.couldNotFetchMutableVersion
}
