/// One attribute of a type of items.
public struct AttributeSchema: Sendable {
    /// The name under which the attribute is stored and requested.
    public let name: String
    /// The declared kinds of the attribute's values; empty if it may have any.
    ///
    /// A value of another kind is converted if the conversion is exact, and refused otherwise. The latest declaration
    /// applies: values stored under an earlier one stay as they are, and are converted when they are read.
    public let kinds: Set<DataStoreValue.Kind>
    /// The kinds of the values that items may have, in a schema that a store returns; otherwise empty.
    ///
    /// A kind stays listed after its last value is gone, until a class that does not fit it is declared.
    public let storedKinds: Set<DataStoreValue.Kind>
    /// The value, in properties and in requests, of every item that stores no value for the attribute.
    ///
    /// A store records the first default that is declared for an attribute. Items that were stored before the
    /// attribute was declared keep this value, even if a later release declares another default for new items. The
    /// recorded default is never replaced. A class that declares kinds to which it cannot be converted gives these items
    /// its own default.
    public let defaultValue: DataStoreValue?
    /// Whether the attribute can be null.
    ///
    /// If not, null is replaced by the default.
    public let isOptional: Bool
    /// The names of the attribute in earlier releases; values stored under them are found.
    ///
    /// In a schema that a store returns, these are all the names that the attribute has ever had.
    public let formerNames: [String]
    /// Whether no two items may have the same value.
    ///
    /// Any number of items may have nil. See ``IndexSchema/isUnique``.
    public let isUnique: Bool
    /// Whether an index over this attribute alone is declared.
    ///
    /// Stores that keep no indexes read all items instead.
    public let isIndexed: Bool
    /// Whether the attribute's index, and its uniqueness, ignore case.
    ///
    /// See ``IndexSchema/ignoresCase``.
    public let ignoresCase: Bool
    /// The property of the item class, if there is one.
    public let keyPath: (any AnyKeyPath & Sendable)?
    /// Whether the property does not use the place of the attribute if it turns out to be a relationship to many.
    let mayBeToMany: Bool

    /// An attribute with the given name.
    ///
    /// `default` is the value of items that store no value. For a property that is not optional, pass the same default
    /// as in its getter, so that requests agree with the property. It is evaluated once, so a default such as
    /// `Date()` is the time of the declaration. `isOptional` states whether the attribute can be null; an attribute
    /// without a default is always optional. `originalName` is the attribute's name in the previous release, and
    /// `formerNames` are the names that it had before that. `@Item` passes `mayBeToMany` for an array, which takes no place
    /// among the attributes if its elements are items.
    public init(
        _ name: String, kinds: Set<DataStoreValue.Kind> = [],
        storedKinds: Set<DataStoreValue.Kind> = [], default defaultValue: DataStoreValue? = nil,
        isOptional: Bool = false, originalName: String? = nil, formerNames: [String] = [],
        isUnique: Bool = false, isIndexed: Bool = false, ignoresCase: Bool = false,
        keyPath: (any AnyKeyPath & Sendable)? = nil, mayBeToMany: Bool = false
    ) {
        self.name = name
        self.kinds = kinds
        self.storedKinds = storedKinds
        self.defaultValue = defaultValue.flatMap { value in
            value.isNull ? nil : kinds.isEmpty ? value : value.exactly(asOneOf: kinds) ?? value
        }
        self.isOptional = isOptional || self.defaultValue == nil
        self.formerNames = (originalName.map { [$0] } ?? []) + formerNames
        self.isUnique = isUnique
        self.isIndexed = isIndexed
        self.ignoresCase = ignoresCase
        self.keyPath = keyPath
        self.mayBeToMany = mayBeToMany
    }
}
