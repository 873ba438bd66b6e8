/// One attribute of a type of items.
public struct AttributeSchema: Sendable {
    /// The name under which the attribute is stored and asked for.
    public let name: String
    /// The kinds of values the attribute is declared to hold; empty if it may hold any.
    ///
    /// A value of another kind is converted where nothing is lost, and refused otherwise. The latest
    /// declaration counts: values stored under an earlier one stay as they are, and are converted when they
    /// are read.
    public let kinds: Set<DataStoreValue.Kind>
    /// The kinds of the values that a store has held so far, in a schema that it hands out; else empty.
    public let storedKinds: Set<DataStoreValue.Kind>
    /// What an item has that holds no value for the attribute, for properties and requests alike.
    ///
    /// A store records the first default that is declared for an attribute and keeps to it: items that were
    /// stored before the attribute was declared go on having that value, whatever default a later release
    /// gives to new items, unless that release declares other kinds, of which the recorded one is none.
    public let defaultValue: DataStoreValue?
    /// Whether null is a value of its own; otherwise it stands for the default.
    public let isOptional: Bool
    /// The names the attribute had in earlier releases: its values are found under them.
    ///
    /// In a schema that a store hands out these are all the names that the attribute has ever had.
    public let formerNames: [String]
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
    ///
    /// `default` is what items have that hold no value. A property that is not optional has the same default here
    /// as in its getter, so that requests agree with the property. It is evaluated once: a default such as
    /// the time of day is that of the declaration. `isOptional` says whether null is a value of its own beside
    /// the default; an attribute without a default always is optional. `originalName` is the name that the
    /// attribute had in the release before, `formerNames` are those that it had earlier still.
    public init(
        _ name: String, kinds: Set<DataStoreValue.Kind> = [],
        storedKinds: Set<DataStoreValue.Kind> = [], default defaultValue: DataStoreValue? = nil,
        isOptional: Bool = false, originalName: String? = nil, formerNames: [String] = [],
        isUnique: Bool = false, isIndexed: Bool = false, keyPath: (any AnyKeyPath & Sendable)? = nil
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
        self.keyPath = keyPath
    }
}
