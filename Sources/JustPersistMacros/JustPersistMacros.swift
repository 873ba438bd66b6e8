// An item class cannot be used without the library, so one import provides both.
@_exported public import JustPersist

/// Makes a final class an item: each stored property becomes an attribute that the item's store keeps.
///
/// ```swift
/// @Item final class Restaurant {
///     #Index<Restaurant>([\.borough, \.cuisine])
///     @Attribute(.unique) var permit: String = ""
///     @Attribute(originalName: "title") var name: String?
///     var borough: String?
///     var cuisine: String?
///     var stars: Int = 0
///     @Transient var isSelected = false
/// }
/// ```
///
/// A property has a type that a store can keep (`AttributeValue`), an enum with a raw value, or any `Codable` type, and
/// is optional or has a default. A property whose type is another item class, `var author: Author?` or `var books: [Book] = []`,
/// is a relationship. Defaults are stored when an item is created. An item that was stored before the
/// property was declared has the default too, for the property and for requests: the store records the first default
/// that is declared, so that a later release with another one changes new items only. A default that differs each time,
/// such as `Date()` or `UUID()`, is evaluated for each new item, and once for all items stored before.
///
/// The class conforms to `MutableDataStoreItem` and gets `schema`, `backing` and `init(backing:)`. Its own
/// initializers must be `convenience` initializers that call `self.init()`. Attributes are in the order of their
/// declarations, which can be reordered freely: stores identify them by name.
///
/// The class is isolated to no actor, even in a target whose declarations are isolated to the main actor by default.
/// The `Codable` types of its attributes must not be isolated either: write `nonisolated struct Address: Codable`
/// there.
///
/// The class also gets a struct `Values` with a copy of each attribute: `Sendable`, `Codable`, `Hashable` and
/// `Identifiable`, so that it can be used after a block has ended.
///
/// ```swift
/// let best = try store.read { db in try db.values(of: Restaurant.self, where: \.stars > 3) }
/// let json = try JSONEncoder().encode(best)
/// ```
///
/// The struct and its properties are as visible as the class and its properties; `private` attributes are not in it.
/// In JSON, the keys are the names of the attributes, and `id`. An attribute that is not optional must be present,
/// unless the decoder's `userInfo[.fillsInDefaults]` is true. A class with its own type named `Values` does not get
/// another one.
///
/// If you rename a class, pass the name under which stores have its items so far:
///
/// ```swift
/// @Item(originalName: "Meal") final class Dish {
///     var name: String = ""
/// }
/// ```
///
/// The store then finds the items, and the items that references point to, under both names. Nothing is rewritten, and
/// earlier releases can continue to use the store. If a store has items under both names, because a release without
/// `originalName` has stored some, using the class fails with `.conflictingTypes`.
///
/// - Parameters:
///   - itemTypeKey: The type's name in stores. The default is the name of the class, preceded by the
///     names of the types it is nested in: `Menu.Dish`. Set it if several
///     classes represent one type, such as the classes of several releases. A store treats two classes with the same
///     name in different files or modules as one type, unless you set different names here.
///   - originalName: The type's name in stores in the previous release, followed by its earlier names, separated by
///     commas, for users who skip a release. A name that belonged to one class can never be the name of another in the
///     same store, because both would share their items.
@attached(
    member, names: named(schema), named(backing), named(init(backing:)), named(setInitialValues),
    named(Values))
@attached(memberAttribute)
// All protocols, because the compiler does not search for inherited ones before it expands macros.
@attached(extension, conformances: DataStoreItem, MutableDataStoreItem, ItemWithValues)
public macro Item(_ itemTypeKey: String? = nil, originalName: String...) =
    #externalMacro(module: "JustPersistMacrosPlugin", type: "ItemMacro")

/// Declares options and a former name of an attribute of an ``Item(_:originalName:)`` class.
///
/// - Parameters:
///   - options: Whether the attribute is unique or indexed, and whether case is ignored.
///   - originalName: The name of the property in earlier releases; values stored under it are found.
///   - unknown: What becomes of a stored value that is no case of the property's enum, such as one of a later release.
@attached(peer)
public macro Attribute(
    _ options: AttributeOption..., originalName: String? = nil, unknown: UnknownCase = .report
) =
    #externalMacro(module: "JustPersistMacrosPlugin", type: "AttributeMacro")

/// Declares a relationship of an ``Item(_:originalName:)`` class to other items, or to items of the class itself.
///
/// ```swift
/// @Item final class Author {
///     var name = ""
///     @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: ToMany<Book>
/// }
/// @Item final class Book {
///     var title = ""
///     var author: Author?
///     @Relationship(.ordered, inverse: \Tag.books) var tags: ToMany<Tag>
/// }
/// @Item final class Tag {
///     var books: ToMany<Book>
/// }
/// ```
///
/// The type of a property is enough to make it a relationship; the attribute adds what is said here. An optional leads to one
/// other item at most, `ToMany` to any number. An array does too, as in SwiftData, but reads all
/// of them, and setting it compares all. A change of one side changes the other in the same call. One side names the
/// other as its inverse with a key path; if both do, they use the name as a text, because the compiler cannot resolve key
/// paths on both sides. A relationship without an inverse does not dangle either. See
/// <doc:/documentation/JustPersist/Relationships>.
///
/// - Parameters:
///   - options: `.ordered` for an order that the program chooses; without it, the others are in the order of creation.
///   - deleteRule: The effect on the others when an item is deleted.
///   - minimumModelCount: The smallest number of others at the end of a write block that created or changed the item.
///   - maximumModelCount: The greatest number of others.
///   - originalName: The name of the property in earlier releases.
///   - inverse: The property of the other class that is kept in step.
@attached(peer)
public macro Relationship(
    _ options: RelationshipOption..., deleteRule: RelationshipSchema.DeleteRule = .nullify,
    minimumModelCount: Int = 0, maximumModelCount: Int? = nil, originalName: String? = nil,
    inverse: AnyKeyPath? = nil
) =
    #externalMacro(module: "JustPersistMacrosPlugin", type: "RelationshipMacro")

/// Declares a relationship whose inverse has this name.
///
/// All else is as with a key path as the inverse.
@attached(peer)
public macro Relationship(
    _ options: RelationshipOption..., deleteRule: RelationshipSchema.DeleteRule = .nullify,
    minimumModelCount: Int = 0, maximumModelCount: Int? = nil, originalName: String? = nil,
    inverse: String
) =
    #externalMacro(module: "JustPersistMacrosPlugin", type: "RelationshipMacro")

/// Excludes a property of an ``Item(_:originalName:)`` class from the store: its value belongs to the object only.
@attached(peer)
public macro Transient() =
    #externalMacro(module: "JustPersistMacrosPlugin", type: "TransientMacro")

/// Declares indexes, each over one attribute or several, in the body of an ``Item(_:originalName:)`` class.
///
/// The first of several attributes is the leading one: an index over borough and cuisine serves requests by borough,
/// and by both. It also sorts: items of one borough by cuisine, in either direction. An index that the class no longer
/// declares is dropped with the next write.
///
/// - Parameters:
///   - attributes: One list of attributes for each index.
///   - ignoringCase: Whether the indexes ignore case, for requests such as `name ==[c] "cafe"` and sorts by
///     `caseInsensitive`; must be a literal `true` or `false`.
@freestanding(declaration)
public macro Index<Item: DataStoreItem>(
    _ attributes: [PartialKeyPath<Item>]..., ignoringCase: Bool = false
) =
    #externalMacro(module: "JustPersistMacrosPlugin", type: "IndexMacro")

/// Declares that no two items have equal values for all attributes of a group.
///
/// Write it in the body of an ``Item(_:originalName:)`` class. Items with nil for one of the attributes never
/// conflict.
///
/// - Parameters:
///   - attributes: One list of attributes for each rule.
///   - ignoringCase: Whether texts that differ only in case are equal; must be a literal `true` or `false`.
@freestanding(declaration)
public macro Unique<Item: DataStoreItem>(
    _ attributes: [PartialKeyPath<Item>]..., ignoringCase: Bool = false
) =
    #externalMacro(module: "JustPersistMacrosPlugin", type: "IndexMacro")

/// Attached to each attribute by ``Item(_:originalName:)``; not for direct use.
@attached(accessor, names: named(get), named(set))
public macro _ItemAttribute(_ index: Int, after arrays: String...) =
    #externalMacro(module: "JustPersistMacrosPlugin", type: "ItemAttributeMacro")

/// Attached to each relationship by ``Item(_:originalName:)``; not for direct use.
@attached(accessor, names: named(get), named(set))
public macro _ItemRelationship() =
    #externalMacro(module: "JustPersistMacrosPlugin", type: "ItemRelationshipMacro")
