/// An option of a relationship, for `@Relationship`.
public struct RelationshipOption: Sendable {
    // Macros read the options in the source; there is nothing to store.
    private init() {}

    /// The others have an order that the program chooses.
    public static var ordered: RelationshipOption { RelationshipOption() }
}
