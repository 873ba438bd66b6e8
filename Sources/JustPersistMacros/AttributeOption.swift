/// What ``Attribute(_:originalName:)`` can say of an attribute.
public struct AttributeOption: Sendable {
    // Macros read the options where they are written; there is nothing to keep.
    private init() {}

    /// No two items of the type may have the same value.
    ///
    /// A block that would store a second one fails with `.uniqueViolation`, which names both, in its next query or at its
    /// end. nil is no such value: any number of items may have none. Items that have the same value since before the
    /// attribute was declared unique stay, and are reported to the store's error handler. See also `upsert`.
    public static var unique: AttributeOption { AttributeOption() }

    /// Requests find and sort items by the attribute without reading all of them.
    ///
    /// Costs some time and space with each item that is stored. If items are there already when the index is declared, it
    /// is written in the background, and used when it is complete. Of an attribute that holds arrays each element is found:
    /// `ANY tags == "thai"`.
    public static var indexed: AttributeOption { AttributeOption() }

    /// The attribute's index and its uniqueness are without regard to case, as `==[c]` compares.
    ///
    /// ```swift
    /// @Attribute(.unique, .ignoringCase) var email: String = ""
    /// ```
    ///
    /// Only together with ``unique`` or ``indexed``.
    public static var ignoringCase: AttributeOption { AttributeOption() }
}
