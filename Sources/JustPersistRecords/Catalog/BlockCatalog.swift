import JustPersist

/// The catalog of the state that one block sees, with the block's own declarations.
///
/// The block's items share the catalog, because stored references identify types by their numbers.
final class BlockCatalog {
    var catalog: Catalog

    init(_ catalog: Catalog) { self.catalog = catalog }

    /// The key of the type with that number; `nil` if the store has none.
    func key(of number: UInt32) -> String? { catalog.names.key(of: number) }

    /// The number of the type with that key.
    ///
    /// The type must have a number: see ``Catalog/addTypes(referredToBy:)``.
    func number(of key: String) -> UInt32 { catalog.names.number(of: key) ?? 0 }
}
