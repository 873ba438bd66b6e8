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
/// A class that was renamed, or that is to have another name in stores, says under which name its items were stored
/// until then:
///
/// ```swift
/// @Item(originalName: "Meal") final class Dish {
///     var name: String = ""
/// }
/// ```
///
/// Its items are found under both names, and so are the items that references lead to. Nothing is rewritten, and an earlier release
/// can go on using the store. If both names have items, because a release was built without `originalName` and stored
/// some, using the class is an error, `.conflictingTypes`.
///
/// - Parameters:
///   - itemTypeKey: The type's name in stores. If there is none, that is the name of the class, after
///     those of the types that it is inside of: `Menu.Dish`. Two classes of one name in different
///     files or modules are one type to a store, unless each has a name of its own here. Classes that stand for one
///     type, as those of several releases do, have the same name here.
///   - originalName: The name that the type had in stores in the release before, and behind it, separated by commas,
///     those that it had earlier still, for users who skip a release.
@attached(
    member, names: named(schema), named(backing), named(init(backing:)), named(setInitialValues))
@attached(memberAttribute)
// Both protocols, as the compiler does not look for the one behind the other before it expands macros.
@attached(extension, conformances: DataStoreItem, MutableDataStoreItem)
public macro Item(_ itemTypeKey: String? = nil, originalName: String...) =
    #externalMacro(module: "JustPersistMacrosPlugin", type: "ItemMacro")

/// Declares more about an attribute of an ``Item(_:originalName:)`` class than its name and type.
///
/// - Parameters:
///   - options: Whether the attribute is unique or indexed.
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
/// by borough, and by both. Recorded in the store, and without effect yet.
@freestanding(declaration)
public macro Index<Item: DataStoreItem>(_ attributes: [PartialKeyPath<Item>]...) =
    #externalMacro(module: "JustPersistMacrosPlugin", type: "IndexMacro")

/// Declares that no two items agree in all attributes of a group.
///
/// Written in the body of an ``Item(_:originalName:)`` class. Recorded in the store, and not enforced yet.
@freestanding(declaration)
public macro Unique<Item: DataStoreItem>(_ attributes: [PartialKeyPath<Item>]...) =
    #externalMacro(module: "JustPersistMacrosPlugin", type: "IndexMacro")

/// What ``Item(_:originalName:)`` attaches to each attribute; not for use by hand.
@attached(accessor, names: named(get), named(set))
public macro _ItemAttribute(_ index: Int) =
    #externalMacro(module: "JustPersistMacrosPlugin", type: "ItemAttributeMacro")
