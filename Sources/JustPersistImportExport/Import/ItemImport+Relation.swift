public import JustPersist

extension ItemImport {
    /// A relationship of the rows' items to items that are found by a unique attribute.
    ///
    /// ```swift
    /// var albums = ItemImport(itemType: "Album")
    /// albums.relations = [
    ///     .init(
    ///         RelationshipSchema("artist", to: "Artist"), key: "ArtistId",
    ///         inverse: RelationshipSchema("albums", to: "Album", isToMany: true, inverse: "artist"))
    /// ]
    /// ```
    ///
    /// The value of ``column`` in a row is the value of ``key`` of the other item. The column is not stored as an
    /// attribute, unless it is also the ``ItemImport/key`` of the rows. Null is no other item. A relationship to many may have
    /// an array of values; the others are *added* to those that the item has.
    ///
    /// A value that no item has makes the row a bad row, which leaves nothing in the store. If the other items are of the
    /// rows' own type, or of one that a mapping nests in rows, the rows may be in any order: a row that refers to a later batch is kept in memory, and stored at the
    /// end of the file, in one block with all others of its kind. That costs one to two KiB for each of these rows, and more for
    /// long ones; all other rows cost no memory. An interrupted import has not stored them, see ``Progress/deferred``.
    ///
    /// The items of a batch are found by one look-up in the index of each relationship.
    public struct Relation: Sendable, Hashable {
        /// The declaration, which is added to the type if it has no relationship of the name.
        public var relationship: RelationshipSchema
        /// The unique attribute of the other items; `nil` if the column has references to them, or their ids.
        ///
        /// A reference may lead to an item that is imported later, from another file.
        public var key: String?
        /// The column, or the key path, with the value; by default the name of the key, or else of the relationship.
        public var column: String
        /// The other side, which is added to the type of the other items if it has no relationship of the name.
        public var inverse: RelationshipSchema?
        /// The names of the relationship and of its inverse, if the store must have the delete rules of the declarations.
        ///
        /// An import that finds another rule in the store ends with an error. A relationship that is not named here keeps the
        /// rule that the store has recorded.
        public var requiredRules: Set<String> = []

        /// A relationship to the items of the declaration's destination.
        public init(
            _ relationship: RelationshipSchema, key: String? = nil, column: String? = nil,
            inverse: RelationshipSchema? = nil
        ) {
            self.relationship = relationship
            self.key = key
            self.column = column ?? key ?? relationship.name
            self.inverse = inverse
        }

        var name: String { relationship.name }
        var destination: String { relationship.destination }
    }
}

extension [ItemImport.Relation] {
    /// The key by which rows refer to items of their own type; `nil` if none does.
    func keyOfOwn(_ type: ItemType) -> String? {
        first { $0.destination == type.key && $0.key != nil }?.key
    }
}
