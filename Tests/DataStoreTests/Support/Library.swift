import JustPersist

/// Types with relationships of every shape, written by hand.
enum Library {
    final class Author: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Author", attributes: [AttributeSchema("name")],
            relationships: [
                RelationshipSchema(
                    "books", to: Book.self, isToMany: true, deleteRule: .cascade, inverse: "author"),
                RelationshipSchema("desk", to: Desk.self, inverse: "author"),
                RelationshipSchema("friends", to: Author.self, isToMany: true, inverse: "friends"),
            ])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }

        var name: String? {
            get { optionalAttribute(at: 0) }
            set { setOptionalAttribute(newValue, at: 0) }
        }
        var books: ToMany<Book> { related(toMany: "books") }
        var friends: ToMany<Author> { related(toMany: "friends") }
        var desk: Desk? {
            get { related("desk") }
            set { setRelated("desk", to: newValue) }
        }
    }

    final class Book: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Book", attributes: [AttributeSchema("title")],
            relationships: [
                RelationshipSchema("author", to: Author.self),
                RelationshipSchema("cabinet", to: Cabinet.self),
                RelationshipSchema(
                    "tags", to: Tag.self, isToMany: true, isOrdered: true, inverse: "books"),
                RelationshipSchema(
                    "chapters", to: Chapter.self, isToMany: true, isOrdered: true,
                    deleteRule: .cascade, inverse: "book"),
            ])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }

        var tags: ToMany<Tag> { related(toMany: "tags") }
        var chapters: ToMany<Chapter> { related(toMany: "chapters") }
        var author: Author? {
            get { related("author") }
            set { setRelated("author", to: newValue) }
        }
        var cabinet: Cabinet? {
            get { related("cabinet") }
            set { setRelated("cabinet", to: newValue) }
        }
    }

    final class Tag: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Tag", attributes: [AttributeSchema("text")],
            relationships: [RelationshipSchema("books", to: Book.self, isToMany: true)])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }

        var books: ToMany<Book> { related(toMany: "books") }
    }

    final class Chapter: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Chapter", attributes: [], relationships: [RelationshipSchema("book", to: Book.self)])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    final class Desk: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Desk", attributes: [], relationships: [RelationshipSchema("author", to: Author.self)])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }

        var author: Author? {
            get { related("author") }
            set { setRelated("author", to: newValue) }
        }
    }

    final class Cabinet: MutableDataStoreItem {
        static let schema = ItemSchema("Cabinet", attributes: [])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    final class Room: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Room", attributes: [],
            relationships: [
                RelationshipSchema(
                    "chairs", to: Chair.self, isToMany: true, deleteRule: .deny, inverse: "room",
                    maximum: 3)
            ])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }

        var chairs: ToMany<Chair> { related(toMany: "chairs") }
    }

    final class Chair: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Chair", attributes: [],
            relationships: [RelationshipSchema("room", to: Room.self, minimum: 1)])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }

        var room: Room? {
            get { related("room") }
            set { setRelated("room", to: newValue) }
        }
    }

    final class Wrong: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Wrong", attributes: [],
            relationships: [RelationshipSchema("author", to: Author.self, inverse: "books")])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    final class Link: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Link", attributes: [],
            relationships: [RelationshipSchema("next", to: Link.self, deleteRule: .cascade)])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }

        var next: Link? {
            get { related("next") }
            set { setRelated("next", to: newValue) }
        }
    }
}
