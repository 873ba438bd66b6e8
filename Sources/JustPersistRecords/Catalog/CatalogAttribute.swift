import JustPersist

/// What a store knows of one attribute.
struct CatalogAttribute: Sendable {
    /// Empty for one that gave way to another (``isRetired``).
    var name: String
    /// The names it had in earlier releases, kept for ever.
    var formerNames: [String] = []
    /// The kinds that its latest declaration allows; empty for all.
    private(set) var kinds: Set<DataStoreValue.Kind> = []
    /// The first default that was declared, replaced only if it is of none of the kinds declared later.
    private(set) var defaultValue: DataStoreValue?
    private(set) var isOptional = true
    /// The tags of the values stored so far, a bit for each.
    var tags: UInt16 = 0
    private(set) var unknown = UnknownFields()

    /// An attribute as it is stored.
    init(
        name: String, formerNames: [String], kinds: Set<DataStoreValue.Kind>,
        defaultValue: DataStoreValue?, isOptional: Bool, tags: UInt16, unknown: UnknownFields
    ) {
        self.name = name
        self.formerNames = formerNames
        self.kinds = kinds
        self.defaultValue = defaultValue
        self.isOptional = isOptional
        self.tags = tags
        self.unknown = unknown
    }

    /// An attribute that was declared just now.
    init(_ declared: AttributeSchema) {
        name = declared.name
        update(to: declared)
    }

    /// Whether this gave way to another: it has neither name nor values, and its id is not used again.
    var isRetired: Bool { name.isEmpty }

    mutating func retire() {
        name = ""
        formerNames = []
    }

    /// Takes the declared kinds over, and the default unless one is recorded.
    mutating func update(to declared: AttributeSchema) {
        kinds = declared.kinds
        defaultValue = declared.withDefault(recorded: defaultValue).defaultValue
        isOptional = declared.isOptional
    }

    /// Whether items have values of the same place in the order of all values, whichever of the two declarations counts.
    ///
    /// Values that are converted to another declared kind stay equal to what they were.
    func hasSameValues(as other: CatalogAttribute) -> Bool {
        defaultValue == other.defaultValue
            && (isOptional == other.isOptional || defaultValue == nil)
    }

    /// Whether items have the same values for a class that declares the attribute so.
    func hasSameValues(as declared: AttributeSchema) -> Bool {
        let seen = declared.withDefault(recorded: defaultValue)
        return defaultValue == seen.defaultValue
            && (isOptional == seen.isOptional || defaultValue == nil)
    }

    /// Whether a declaration says nothing new.
    func isUp(to declared: AttributeSchema) -> Bool {
        kinds == declared.kinds && isOptional == declared.isOptional
            && defaultValue == declared.withDefault(recorded: defaultValue).defaultValue
    }

    /// The attribute as the contract describes it.
    var schema: AttributeSchema {
        AttributeSchema(
            name, kinds: kinds, storedKinds: ValueTag.kinds(in: tags), default: defaultValue,
            isOptional: isOptional, formerNames: formerNames)
    }
}
