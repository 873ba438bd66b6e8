extension DataStoreItem {
    /// An item as one of this class; `nil` if it is of another.
    ///
    /// As `as?`, but faster for an item of exactly this class, which is what stores return.
    @inlinable @inline(__always)
    static func cast(_ item: any DataStoreItem) -> Self? {
        // SAFETY: it is of that class.
        type(of: item) == Self.self ? unsafe unsafeDowncast(item, to: Self.self) : item as? Self
    }
}
