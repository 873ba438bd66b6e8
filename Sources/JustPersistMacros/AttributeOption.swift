/// What becomes of a stored value that is no case of an enum, in ``Attribute(_:originalName:unknown:)``.
public enum UnknownCase: Sendable {
    /// The property returns its default, and reports the value: a block of a throwing form fails.
    case report
    /// The property returns its default, or nil, and the value stays stored until the property is set.
    ///
    /// ```swift
    /// @Attribute(unknown: .keep) var cuisine: Cuisine = .other
    /// ```
    case keep
}

/// An option of an attribute in ``Attribute(_:originalName:unknown:)``.
public struct AttributeOption: Sendable {
    // Macros read the options in the source; there is nothing to store.
    private init() {}

    /// No two items of the type may have the same value.
    ///
    /// A block that would store a second one fails with `.uniqueViolation`, which names both, in its next query or at
    /// its end. Any number of items may have nil. Items that have had equal values since before the attribute was
    /// declared unique are kept, and are reported to the store's error handler. See also `upsert`.
    public static var unique: AttributeOption { AttributeOption() }

    /// Requests find and sort items by the attribute without reading all of them.
    ///
    /// The index takes some time and space for each stored item. If there are items when the index is declared, it is
    /// written in the background, and used once it is complete. For an attribute that holds arrays, each element is
    /// indexed: `ANY tags == "thai"`.
    public static var indexed: AttributeOption { AttributeOption() }

    /// The attribute's index and its uniqueness ignore case, as `==[c]` does.
    ///
    /// ```swift
    /// @Attribute(.unique, .ignoringCase) var email: String = ""
    /// ```
    ///
    /// Use it only together with ``unique`` or ``indexed``.
    public static var ignoringCase: AttributeOption { AttributeOption() }
}
