import JustPersist

/// An attribute as a store knows it.
struct CatalogAttribute: Sendable {
    /// Empty if the attribute was merged into another or dropped (``isRetired``).
    var name: String
    /// The names that it had in earlier releases, kept permanently.
    var formerNames: [String] = []
    /// The kinds that its latest declaration allows; empty for all, unless there are ``laterKinds``.
    private(set) var kinds: Set<DataStoreValue.Kind> = []
    /// The tags of the kinds in a later release's declaration that this release does not know.
    private(set) var laterKinds = TagSet()
    /// The first default that was declared.
    ///
    /// Never replaced, because it is the value of the items that were stored without one.
    private(set) var recordedDefault: DataStoreValue?
    private(set) var isOptional = true
    /// The tags of the values stored so far.
    private(set) var tags = TagSet()
    /// The tags, among ``tags``, of numbers that are known to convert exactly, all of them: Ints to Double, or Doubles to
    /// Int.
    private(set) var exact: UInt16 = 0
    private(set) var unknown = UnknownFields()

    /// An attribute as it is stored.
    init(
        name: String, formerNames: [String], kinds: TagSet, recordedDefault: DataStoreValue?,
        isOptional: Bool, tags: TagSet, exact: UInt16, unknown: UnknownFields
    ) {
        self.name = name
        self.formerNames = formerNames
        self.kinds = ValueTag.kinds(in: kinds.known)
        laterKinds = kinds.laterOnly
        self.recordedDefault = recordedDefault
        self.isOptional = isOptional
        self.tags = tags
        self.exact = exact & tags.known
        self.unknown = unknown
    }

    /// A newly declared attribute.
    init(_ declared: AttributeSchema) {
        name = declared.name
        update(to: declared)
    }

    /// Whether this attribute was merged into another or dropped: it has no name, and its id is not used again.
    ///
    /// If it was dropped, records may still have values under its id, which are not read.
    var isRetired: Bool { name.isEmpty }

    mutating func retire() {
        name = ""
        formerNames = []
    }

    mutating func setDefault(_ value: DataStoreValue?) { recordedDefault = value }

    mutating func drop() {
        retire()
        recordedDefault = nil
    }

    /// The value of items that hold none: the recorded default, converted to a declared kind if possible.
    var defaultValue: DataStoreValue? {
        guard let recordedDefault, !kinds.isEmpty else { return recordedDefault }
        return recordedDefault.exactly(asOneOf: kinds) ?? recordedDefault
    }

    /// The tags of the values that items may have: those stored so far, and that of the default.
    var possibleTags: UInt16 {
        guard let kind = defaultValue?.kind else { return tags.known }
        return tags.known | 1 << UInt16(ValueTag.tag(of: kind))
    }

    /// Notes a value with that tag, and returns whether this changes what is known of the values.
    ///
    /// - Parameter isExact: Whether the value, an Int or a Double, converts exactly to the other kind.
    mutating func note(tag: UInt8, isExact: Bool) -> Bool {
        let before = (tags, exact)
        tags.insert(tag)
        if !isExact { exact &= ~(1 << UInt16(tag)) }
        return (tags, exact) != before
    }

    /// Notes that there may be values with these tags, of which nothing else is known.
    mutating func note(_ others: TagSet) {
        tags.formUnion(others)
        exact &= ~others.known
    }

    /// Notes that of the values with some tags only those with the tags in `exact` are left, which convert exactly.
    mutating func settle(_ settled: UInt16, exact: UInt16) {
        tags.subtract(settled & ~exact)
        self.exact = self.exact & ~settled | exact
    }

    /// Notes that there may also be the values of another state of the attribute.
    mutating func addTags(of other: CatalogAttribute) {
        exact &= other.exact | ~other.tags.known
        exact |= other.exact & ~tags.known
        tags.formUnion(other.tags)
    }

    /// Takes over what another state of the attribute knows of its values.
    mutating func takeTags(of other: CatalogAttribute) { (tags, exact) = (other.tags, other.exact) }

    /// Updates the kinds to the declaration, and records its default unless one is recorded.
    mutating func update(to declared: AttributeSchema) {
        kinds = declared.kinds
        recordedDefault = recordedDefault ?? declared.defaultValue
        isOptional = declared.isOptional
    }

    /// Whether each value has the same place in the order of values under either of the two declarations.
    ///
    /// A value that is converted to another declared kind stays equal to the original.
    func hasSameValues(as other: CatalogAttribute) -> Bool {
        defaultValue == other.defaultValue
            && (isOptional == other.isOptional || defaultValue == nil)
    }

    /// Whether items have the same values in a class with this declaration of the attribute.
    func hasSameValues(as declared: AttributeSchema) -> Bool {
        let seen = declared.withDefault(recorded: recordedDefault)
        return defaultValue == seen.defaultValue
            && (isOptional == seen.isOptional || defaultValue == nil)
    }

    /// Whether the attribute already agrees with a declaration.
    func isUp(to declared: AttributeSchema) -> Bool {
        kinds == declared.kinds && isOptional == declared.isOptional
            && (recordedDefault != nil || declared.defaultValue == nil)
    }

    /// The tags of stored values that a class with this declaration may be unable to read; none for a declaration
    /// that allows all kinds.
    ///
    /// They include the tags of which only some values can be converted, unless all of the stored ones are known to be
    /// among these.
    func misfits(_ declared: AttributeSchema) -> UInt16 {
        if declared.kinds.isEmpty { return 0 }
        let convertible = ValueTag.convertible(to: declared.kinds)
        let fitting =
            ValueTag.bits(of: declared.kinds.union([.null])) | convertible.all
            | convertible.some & exact
        return tags.known & ~fitting
    }

    /// The attribute as the contract describes it.
    var schema: AttributeSchema {
        AttributeSchema(
            name, kinds: kinds, storedKinds: ValueTag.kinds(in: tags.known), default: defaultValue,
            isOptional: isOptional, formerNames: formerNames)
    }
}
