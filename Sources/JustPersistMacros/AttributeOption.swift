/// What ``Attribute(_:originalName:)`` can say of an attribute.
public struct AttributeOption: Sendable {
    // Macros read the options where they are written; there is nothing to keep.
    private init() {}

    /// No two items of the type may have the same value.
    ///
    /// Recorded in the store, and not enforced yet.
    public static var unique: AttributeOption { AttributeOption() }

    /// Requests find and sort items by the attribute without reading all of them.
    ///
    /// Recorded in the store, and without effect yet: requests read all items.
    public static var indexed: AttributeOption { AttributeOption() }
}
