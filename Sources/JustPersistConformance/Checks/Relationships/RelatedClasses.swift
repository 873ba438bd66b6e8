import JustPersist

/// Item classes of the kit with relationships of every kind.
enum RelatedClasses {
    static let shape = GraphShape(
        "classes", [Author.self, Book.self, Tag.self, Desk.self, Shelf.self])

    final class Author: MutableDataStoreItem {
        static let schema: ItemSchema = declaration(
            "RelatedAuthor",
            [
                RelationshipSchema(
                    "books", to: Book.self, isToMany: true, deleteRule: .cascade, inverse: "author"),
                RelationshipSchema("desk", to: Desk.self, inverse: "author"),
                RelationshipSchema("friends", to: Author.self, isToMany: true, inverse: "friends"),
            ])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    final class Book: MutableDataStoreItem {
        static let schema: ItemSchema = declaration(
            "RelatedBook",
            [
                RelationshipSchema("author", to: Author.self),
                RelationshipSchema("sequel", to: Book.self, deleteRule: .noAction),
                RelationshipSchema(
                    "tags", to: Tag.self, isToMany: true, isOrdered: true, inverse: "books"),
                RelationshipSchema("readers", to: Author.self, isToMany: true),
            ])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    final class Tag: MutableDataStoreItem {
        static let schema: ItemSchema = declaration(
            "RelatedTag", [RelationshipSchema("books", to: Book.self, isToMany: true)])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    final class Desk: MutableDataStoreItem {
        static let schema: ItemSchema = declaration(
            "RelatedDesk", [RelationshipSchema("author", to: Author.self)])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    final class Shelf: MutableDataStoreItem {
        static let schema: ItemSchema = declaration(
            "RelatedShelf",
            [
                RelationshipSchema(
                    "books", to: Book.self, isToMany: true, isOrdered: true, deleteRule: .deny,
                    maximum: 5)
            ])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    fileprivate static func declaration(_ key: String, _ relationships: [RelationshipSchema])
        -> ItemSchema
    {
        ItemSchema(
            key, attributes: [AttributeSchema(GraphShape.label, kinds: [.string])],
            relationships: relationships)
    }
}

/// Classes whose declarations of relationships are wrong, each in another way.
enum WrongClasses {
    static let all: [any MutableDataStoreItem.Type] = [
        Absent.self, Elsewhere.self, OtherName.self, Twice.self,
    ]

    /// Names an inverse that does not exist.
    final class Absent: MutableDataStoreItem {
        static let schema = ItemSchema(
            "RelatedAbsent", attributes: [],
            relationships: [
                RelationshipSchema("author", to: RelatedClasses.Author.self, inverse: "nothing")
            ])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    /// Names an inverse that leads to another type.
    final class Elsewhere: MutableDataStoreItem {
        static let schema = ItemSchema(
            "RelatedElsewhere", attributes: [],
            relationships: [
                RelationshipSchema("author", to: RelatedClasses.Author.self, inverse: "books")
            ])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    /// Names an inverse that names another relationship of this class.
    final class OtherName: MutableDataStoreItem {
        static let schema = ItemSchema(
            "RelatedOtherName", attributes: [],
            relationships: [
                RelationshipSchema("first", to: OtherName.self, inverse: "second"),
                RelationshipSchema("second", to: OtherName.self, inverse: "third"),
                RelationshipSchema("third", to: OtherName.self),
            ])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    /// Has two relationships with one inverse.
    final class Twice: MutableDataStoreItem {
        static let schema = ItemSchema(
            "RelatedTwice", attributes: [],
            relationships: [
                RelationshipSchema("first", to: Twice.self, inverse: "back"),
                RelationshipSchema("second", to: Twice.self, inverse: "back"),
                RelationshipSchema("back", to: Twice.self, isToMany: true),
            ])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }
}
