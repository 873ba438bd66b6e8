/// What a type of items is called and which attributes it has.
///
/// The `@Item` macro writes it; a class without the macro declares it by hand, as a `static let`.
/// A store remembers every schema that was written through it, so ``DataStoreReadAccessor/schemas()``
/// tells what a store holds without the program that wrote it.
public final class ItemSchema: Sendable {
    /// The name that identifies the type in a store.
    ///
    /// Renaming the Swift class does not change it.
    public let itemTypeKey: String
    /// The attributes, in the order in which items address them by index.
    public let attributes: [AttributeSchema]
    /// Indexes over one attribute or several, and uniqueness.
    public let indexes: [IndexSchema]

    private let indexByName: [String: Int]

    /// A schema of the named type.
    ///
    /// Of two attributes with one name the first counts. Attributes declared `isIndexed` or `isUnique`
    /// appear in ``indexes`` without being listed there.
    public init(
        _ itemTypeKey: String, attributes: [AttributeSchema], indexes: [IndexSchema] = []
    ) {
        self.itemTypeKey = itemTypeKey
        self.attributes = attributes
        let single = attributes.compactMap { attribute in
            attribute.isUnique || attribute.isIndexed
                ? IndexSchema([attribute.name], isUnique: attribute.isUnique) : nil
        }
        self.indexes = single + indexes
        indexByName = Dictionary(
            attributes.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The index of the attribute with that name.
    public func index(ofAttribute name: String) -> Int? { indexByName[name] }

    /// The name of the attribute that a key path of the item class stands for, such as `\Restaurant.name`.
    public func attributeName(for keyPath: AnyKeyPath) -> String? {
        attributes.first { $0.keyPath.map { $0 == keyPath } ?? false }?.name
    }
}

/// One attribute of a type of items.
public struct AttributeSchema: Sendable {
    /// The name under which the attribute is stored and asked for.
    public let name: String
    /// The kinds of values the attribute is declared to hold; empty if it may hold any.
    ///
    /// In a schema that a store hands out these are the kinds it has stored so far.
    public let kinds: Set<DataStoreValue.Kind>
    /// The name the attribute had in earlier releases: its values are found under it.
    public let originalName: String?
    /// Whether no two items may have the same value.
    ///
    /// Recorded, and not enforced yet.
    public let isUnique: Bool
    /// Whether an index over this attribute alone is asked for.
    ///
    /// Recorded, and without effect yet.
    public let isIndexed: Bool
    /// The property of the item class, if there is one.
    public let keyPath: (any AnyKeyPath & Sendable)?

    /// An attribute with the given name.
    public init(
        _ name: String, kinds: Set<DataStoreValue.Kind> = [], originalName: String? = nil,
        isUnique: Bool = false, isIndexed: Bool = false, keyPath: (any AnyKeyPath & Sendable)? = nil
    ) {
        self.name = name
        self.kinds = kinds
        self.originalName = originalName
        self.isUnique = isUnique
        self.isIndexed = isIndexed
        self.keyPath = keyPath
    }
}

/// An index over one attribute or several, in order.
public struct IndexSchema: Hashable, Sendable, Codable {
    /// The names of the attributes, the first one deciding first.
    public let attributes: [String]
    /// Whether no two items may agree in all of the attributes.
    ///
    /// Recorded, and not enforced yet.
    public let isUnique: Bool

    /// An index over the named attributes.
    public init(_ attributes: [String], isUnique: Bool = false) {
        self.attributes = attributes
        self.isUnique = isUnique
    }
}
