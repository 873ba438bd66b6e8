/// An option of a relationship in ``Relationship(_:deleteRule:minimumModelCount:maximumModelCount:originalName:inverse:)``.
public struct RelationshipOption: Sendable {
    // Macros read the options in the source; there is nothing to store.
    private init() {}

    /// The others have an order that the program chooses.
    public static var ordered: RelationshipOption { RelationshipOption() }
}
