/// A relationship of a type of items to another type, or to itself.
///
/// `@Item` declares it from a property whose type is an item class, ``ToMany`` or an array of items. By hand, and for
/// types without a class:
///
/// ```swift
/// ItemSchema("Author", attributes: [AttributeSchema("name")], relationships: [
///     RelationshipSchema("books", to: "Book", isToMany: true, deleteRule: .cascade, inverse: "author")
/// ])
/// ItemSchema("Book", attributes: [AttributeSchema("title")], relationships: [
///     RelationshipSchema("author", to: "Author")
/// ])
/// ```
///
/// One side names the other as its inverse; if both do, they must agree. A relationship without an inverse is kept in
/// order too: when its target is deleted, it becomes nil or loses the target.
public struct RelationshipSchema: Sendable {
    /// The effect of deleting an item on the items of a relationship.
    public enum DeleteRule: String, Sendable, Codable, CaseIterable {
        /// The other items lose the deleted one.
        case nullify
        /// The other items are deleted too, under the rules of their own relationships.
        case cascade
        /// A block that deletes the item fails with ``DataStoreError/Code/validationFailed`` if the relationship has
        /// other items at the end of the block.
        case deny
        /// The other items stay as they are; where they refer to the deleted item, they read nil.
        case noAction
    }

    /// The name of the property.
    public let name: String
    /// The name of the relationship of the other type that is kept in step with this one.
    public private(set) var inverse: String?
    /// Whether an item has any number of the others, and not one at most.
    public let isToMany: Bool
    /// Whether the others have an order that the program chooses.
    ///
    /// If not, they are in the order of their creation.
    public let isOrdered: Bool
    /// The effect on the others when an item is deleted.
    public private(set) var deleteRule: DeleteRule
    /// The smallest number of others that an item may have at the end of a block that created or changed it.
    public let minimum: Int
    /// The greatest number of others, if there is one.
    public let maximum: Int?
    /// The names that the relationship had in earlier releases.
    public let formerNames: [String]
    /// The type of the items in which a store keeps the links of the relationship; `nil` unless a store knows it.
    ///
    /// It is chosen once, by ``ItemSchema/keptRelationships(in:)``, and stays when types and relationships are renamed.
    public internal(set) var links: Links?
    /// The number by which the change log of a store names the relationship, if it is to many.
    package var number: Int?
    /// Whether an earlier rule of no action may have left references to deleted items, which are no damage then.
    package var leftReferences = false
    /// Whether only the type of the property declares the relationship.
    var isPlain = false

    /// The type of the links of a relationship to many, and the side of the relationship.
    public struct Links: Sendable, Hashable {
        /// The key of the type whose items are the links.
        public let typeKey: String
        /// Whether the links begin at the items that declare the relationship, and do not end there.
        public let isSource: Bool

        /// Links of a type, seen from one side.
        public init(typeKey: String, isSource: Bool) {
            self.typeKey = typeKey
            self.isSource = isSource
        }

        /// These links, seen from the other side.
        var reversed: Links { Links(typeKey: typeKey, isSource: !isSource) }
    }

    /// The property of the item class; `nil` if the class has none.
    public let keyPath: (any AnyKeyPath & Sendable)?

    private var destinationKey: String
    /// The class of the others.
    ///
    /// Its schema is used late, because it may refer to this one.
    private(set) var destinationClass: (any DataStoreItem.Type)?

    /// A relationship to the type with a key.
    ///
    /// A relationship that is not `isToMany` is also an attribute with a reference, and has an index. A store passes the
    /// `links` that it has recorded.
    public init(
        _ name: String, to destination: String, isToMany: Bool = false, isOrdered: Bool = false,
        deleteRule: DeleteRule = .nullify, inverse: String? = nil, minimum: Int = 0,
        maximum: Int? = nil, formerNames: [String] = [], links: Links? = nil
    ) {
        self.init(
            name, destination, nil, isToMany, isOrdered, deleteRule, inverse, minimum, maximum,
            formerNames, nil)
        self.links = links
    }

    /// A relationship to an item class.
    public init(
        _ name: String, to destination: any DataStoreItem.Type, isToMany: Bool = false,
        isOrdered: Bool = false, deleteRule: DeleteRule = .nullify, inverse: String? = nil,
        minimum: Int = 0, maximum: Int? = nil, formerNames: [String] = [],
        keyPath: (any AnyKeyPath & Sendable)? = nil
    ) {
        self.init(
            name, "", destination, isToMany, isOrdered, deleteRule, inverse, minimum, maximum,
            formerNames, keyPath)
    }

    private init(
        _ name: String, _ key: String, _ destinationClass: (any DataStoreItem.Type)?,
        _ isToMany: Bool, _ isOrdered: Bool, _ deleteRule: DeleteRule, _ inverse: String?,
        _ minimum: Int, _ maximum: Int?, _ formerNames: [String],
        _ keyPath: (any AnyKeyPath & Sendable)?
    ) {
        self.keyPath = keyPath
        self.name = name
        destinationKey = key
        self.destinationClass = destinationClass
        self.isToMany = isToMany
        self.isOrdered = isOrdered
        self.deleteRule = deleteRule
        self.inverse = inverse
        self.minimum = minimum
        self.maximum = maximum
        self.formerNames = formerNames
    }

    /// The key of the type of the others.
    public var destination: String { destinationClass?.itemTypeKey ?? destinationKey }

    /// The type of the others.
    package var others: ItemType {
        destinationClass.map { ItemType(ofAnyClass: $0) } ?? ItemType(ofAnyClass: destination)
    }

    /// The relationship as a store knows it: to the type with a key, and without a class.
    package func leading(to key: String) -> RelationshipSchema {
        var other = self
        (other.destinationKey, other.destinationClass) = (key, nil)
        return other
    }

    /// The relationship with another delete rule.
    package func deleting(by rule: DeleteRule) -> RelationshipSchema {
        var other = self
        other.deleteRule = rule
        return other
    }

    /// The relationship with the inverse that the other side names.
    package func paired(with inverse: String) -> RelationshipSchema {
        var other = self
        other.inverse = inverse
        return other
    }

    /// Whether the relationship has this name, or had it.
    func isNamed(_ name: String) -> Bool { self.name == name || formerNames.contains(name) }

    /// Whether one of two declarations has the other's name, or had it: two releases declare one relationship so.
    package func sharesName(with other: RelationshipSchema) -> Bool {
        isNamed(other.name) || other.isNamed(name)
    }

    /// Whether the number of others is limited.
    var isLimited: Bool { minimum > 0 || maximum != nil }
}

extension RelationshipSchema: Hashable {
    /// Whether two declarations are equal, with or without a class, and before or after a store has added ``links``.
    public static func == (one: Self, other: Self) -> Bool {
        one.name == other.name && one.destination == other.destination
            && one.inverse == other.inverse && one.isToMany == other.isToMany
            && one.isOrdered == other.isOrdered && one.deleteRule == other.deleteRule
            && one.minimum == other.minimum && one.maximum == other.maximum
            && one.formerNames == other.formerNames
    }

    /// Hashes the name, which is different for each relationship of a type.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
