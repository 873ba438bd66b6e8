import JustPersist

/// What a store knows of one attribute.
struct CatalogAttribute: Sendable {
    /// Empty for one that gave way to another (``isRetired``).
    var name: String
    /// The names it had in earlier releases, kept for ever.
    var formerNames: [String] = []
    /// The kinds that its latest declaration allows; empty for all, unless there are ``laterKinds``.
    private(set) var kinds: Set<DataStoreValue.Kind> = []
    /// The tags of the kinds that the declaration of a later release allows, and this one does not know.
    private(set) var laterKinds = TagSet()
    /// The first default that was declared.
    ///
    /// Never replaced: it is the value of the items that were stored without one.
    private(set) var recordedDefault: DataStoreValue?
    private(set) var isOptional = true
    /// The tags of the values stored so far.
    var tags = TagSet()
    private(set) var unknown = UnknownFields()

    /// An attribute as it is stored.
    init(
        name: String, formerNames: [String], kinds: TagSet, recordedDefault: DataStoreValue?,
        isOptional: Bool, tags: TagSet, unknown: UnknownFields
    ) {
        self.name = name
        self.formerNames = formerNames
        self.kinds = ValueTag.kinds(in: kinds.known)
        laterKinds = kinds.laterOnly
        self.recordedDefault = recordedDefault
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

    /// The value of items that hold none: the recorded default, as one of the declared kinds if it can be one.
    var defaultValue: DataStoreValue? {
        guard let recordedDefault, !kinds.isEmpty else { return recordedDefault }
        return recordedDefault.exactly(asOneOf: kinds) ?? recordedDefault
    }

    /// Takes the declared kinds over, and the default unless one is recorded.
    mutating func update(to declared: AttributeSchema) {
        kinds = declared.kinds
        recordedDefault = recordedDefault ?? declared.defaultValue
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
        let seen = declared.withDefault(recorded: recordedDefault)
        return defaultValue == seen.defaultValue
            && (isOptional == seen.isOptional || defaultValue == nil)
    }

    /// Whether a declaration says nothing new.
    func isUp(to declared: AttributeSchema) -> Bool {
        kinds == declared.kinds && isOptional == declared.isOptional
            && (recordedDefault != nil || declared.defaultValue == nil)
    }

    /// The attribute as the contract describes it.
    var schema: AttributeSchema {
        AttributeSchema(
            name, kinds: kinds, storedKinds: ValueTag.kinds(in: tags.known), default: defaultValue,
            isOptional: isOptional, formerNames: formerNames)
    }
}
