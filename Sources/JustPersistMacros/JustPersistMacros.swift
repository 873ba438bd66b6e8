// An item class cannot be used without the library, and one import is what its users expect.
@_exported public import JustPersist

/// Makes a final class an item: each stored property becomes an attribute kept by the item's store.
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
/// A property has a type that a store keeps (`AttributeValue`), an enum with a raw value, or any `Codable`
/// type, and is optional or has a default. Defaults are stored when an item is made. An item that was stored
/// before the property was declared has the default too, for the property and for requests: the store records
/// the first default that it is told, so that a later release with another one changes new items only. A
/// default that differs each time, such as `Date()` or `UUID()`, is made anew for each new item, and once for
/// all items stored before.
///
/// The class conforms to `MutableDataStoreItem` and gets `schema`, `backing` and `init(backing:)`. An
/// `init` of its own must be a `convenience` one that calls `self.init()`. Attributes are in the order in
/// which they are written, and can be reordered at will: stores know them by name.
///
/// The class belongs to no actor, in a target whose declarations belong to the main actor too. The `Codable` types of its
/// attributes must not either: write `nonisolated struct Address: Codable` there.
///
/// The class also gets a struct `Values` with a copy of each attribute: `Sendable`, `Codable`, `Hashable` and
/// `Identifiable`, so that it may leave a block.
///
/// ```swift
/// let best = try store.read { db in try db.values(of: Restaurant.self, where: \.stars > 3) }
/// let json = try JSONEncoder().encode(best)
/// ```
///
/// The struct and its properties can be seen where the class and its properties can; `private` attributes are not in it. In
/// JSON, the keys are the names of the attributes, and `id`; an absent attribute has its default. A class that has a type
/// called `Values` of its own gets no other one.
///
/// If you rename a class, pass the name under which stores have its items until now:
///
/// ```swift
/// @Item(originalName: "Meal") final class Dish {
///     var name: String = ""
/// }
/// ```
///
/// The store then finds the items, and the items that references point to, under both names. Nothing is rewritten, and
/// earlier releases can go on using the store. If a store has items under both names, because a release without
/// `originalName` has stored some, using the class fails with `.conflictingTypes`.
///
/// - Parameters:
///   - itemTypeKey: The type's name in stores. The default is the name of the class, preceded by the
///     names of the types it is nested in: `Menu.Dish`. Set it if several
///     classes represent one type, such as the classes of several releases. A store treats two classes with the same
///     name in different files or modules as one type, unless you set different names here.
///   - originalName: The type's name in stores in the previous release, followed by its earlier names, separated by
///     commas, for users who skip a release. A name that belonged to one class can never be the name of another in
///     the same store: both would have the same items.
@attached(
    member, names: named(schema), named(backing), named(init(backing:)), named(setInitialValues),
    named(Values))
@attached(memberAttribute)
// All protocols, as the compiler does not look for the one behind the other before it expands macros.
@attached(extension, conformances: DataStoreItem, MutableDataStoreItem, ItemWithValues)
public macro Item(_ itemTypeKey: String? = nil, originalName: String...) =
    #externalMacro(module: "JustPersistMacrosPlugin", type: "ItemMacro")

/// Declares more about an attribute of an ``Item(_:originalName:)`` class than its name and type.
///
/// - Parameters:
///   - options: Whether the attribute is unique or indexed, and whether case counts there.
///   - originalName: The name the property had in earlier releases: its values are found under it.
@attached(peer)
public macro Attribute(_ options: AttributeOption..., originalName: String? = nil) =
    #externalMacro(module: "JustPersistMacrosPlugin", type: "AttributeMacro")

/// Keeps a property of an ``Item(_:originalName:)`` class out of the store: it lives and dies with the object.
@attached(peer)
public macro Transient() =
    #externalMacro(module: "JustPersistMacrosPlugin", type: "TransientMacro")

/// Asks for indexes, each over one attribute or several of an ``Item(_:originalName:)`` class, in whose body it is written.
///
/// Of several attributes the first one decides first: an index over borough and cuisine serves requests
/// by borough, and by both. It also sorts: items of one borough by cuisine, in either direction. An index that the class
/// does not declare any more is dropped with the next write.
///
/// - Parameters:
///   - attributes: One list of attributes for each index.
///   - ignoringCase: Whether the indexes order texts without regard to case, for requests such as `name ==[c] "cafe"`
///     and sorts by `caseInsensitive`; `true` or `false`, written out.
@freestanding(declaration)
public macro Index<Item: DataStoreItem>(
    _ attributes: [PartialKeyPath<Item>]..., ignoringCase: Bool = false
) =
    #externalMacro(module: "JustPersistMacrosPlugin", type: "IndexMacro")

/// Declares that no two items agree in all attributes of a group.
///
/// Written in the body of an ``Item(_:originalName:)`` class. Items with nil for one of
/// the attributes agree with no other.
///
/// - Parameters:
///   - attributes: One list of attributes for each rule.
///   - ignoringCase: Whether texts agree that differ in case alone; `true` or `false`, written out.
@freestanding(declaration)
public macro Unique<Item: DataStoreItem>(
    _ attributes: [PartialKeyPath<Item>]..., ignoringCase: Bool = false
) =
    #externalMacro(module: "JustPersistMacrosPlugin", type: "IndexMacro")

/// What ``Item(_:originalName:)`` attaches to each attribute; not for use by hand.
@attached(accessor, names: named(get), named(set))
public macro _ItemAttribute(_ index: Int) =
    #externalMacro(module: "JustPersistMacrosPlugin", type: "ItemAttributeMacro")
