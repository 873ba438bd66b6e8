import JustPersist

/// An entry of the catalog that cannot be read, or that is missing.
struct CatalogDamage: Sendable {
    /// Which entry: “type 3”.
    let name: String
    /// The type's key, if it can still be read.
    let key: String?

    /// The key under which the type is listed.
    var typeKey: String { key ?? "damaged \(name)" }

    /// The error of any use of the type with that key, which is, or may be, the damaged one.
    func error(ofType typeKey: String) -> DataStoreError {
        error(
            key == nil
                ? "Which type that was cannot be told; “\(typeKey)” may be it, for the store does not know it."
                : "“\(typeKey)” is that type.", typeKey)
    }

    /// The problem as it is reported for the whole store.
    var problem: DataStoreError {
        error(key.map { "“\($0)” is that type." } ?? "Which type that was cannot be told.", key)
    }

    private func error(_ which: String, _ typeKey: String?) -> DataStoreError {
        DataStoreError(
            .corrupted, in: "read",
            """
            The catalog entry of \(name) is damaged or missing, so its items cannot be read. \(which) Types \
            that the store still knows can be used. Restore the store from a backup.
            """, itemType: typeKey)
    }
}
