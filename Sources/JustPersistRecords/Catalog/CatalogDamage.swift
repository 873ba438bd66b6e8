import JustPersist

/// An entry of the catalog that cannot be read, or that is missing.
struct CatalogDamage: Sendable {
    /// The name of the entry in messages: “type 3”.
    let name: String
    /// The type's key, if it can still be read.
    let key: String?

    /// The key under which the type is listed.
    var typeKey: String { key ?? "damaged \(name)" }

    /// The error for using the type with that key, which is, or may be, the damaged one.
    func error(ofType typeKey: String) -> DataStoreError {
        error(
            key == nil
                ? "The type cannot be identified; it may be “\(typeKey)”, which the store does not know."
                : "“\(typeKey)” is that type.", typeKey)
    }

    /// The problem in the verification report of the whole store.
    var problem: DataStoreError {
        error(key.map { "“\($0)” is that type." } ?? "The type cannot be identified.", key)
    }

    private func error(_ which: String, _ typeKey: String?) -> DataStoreError {
        DataStoreError(
            .corrupted, in: "read",
            """
            The catalog entry of \(name) is damaged or missing, so its items cannot be read. \(which) Types \
            that the store still knows can be used. To have all, \(DataStoreError.rescue)
            """, itemType: typeKey)
    }
}
