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
    var tags = TagSet()
    /// Whether the kinds were declared without examining the stored values: by hand, in a child, or by a copy.
    var isUnexamined = false
    private(set) var unknown = UnknownFields()

    /// An attribute as it is stored.
    init(
        name: String, formerNames: [String], kinds: TagSet, recordedDefault: DataStoreValue?,
        isOptional: Bool, tags: TagSet, isUnexamined: Bool, unknown: UnknownFields
    ) {
        self.name = name
        self.formerNames = formerNames
        self.kinds = ValueTag.kinds(in: kinds.known)
        laterKinds = kinds.laterOnly
        self.recordedDefault = recordedDefault
        self.isOptional = isOptional
        self.tags = tags
        self.isUnexamined = isUnexamined
        self.unknown = unknown
    }

    /// A newly declared attribute.
    init(_ declared: AttributeSchema) {
        name = declared.name
        // It has no values.
        update(to: declared, examined: true)
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

    /// Updates the kinds to the declaration, and records its default unless one is recorded.
    ///
    /// - Parameter examined: Whether the stored values fit the declaration.
    mutating func update(to declared: AttributeSchema, examined: Bool) {
        if kinds != declared.kinds { isUnexamined = !examined }
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
    /// Unless stored values were examined under these kinds, they include the kinds of which only some values can be
    /// converted.
    func misfits(_ declared: AttributeSchema) -> UInt16 {
        if declared.kinds.isEmpty { return 0 }
        let convertible = ValueTag.convertible(to: declared.kinds)
        let fitting =
            ValueTag.bits(of: declared.kinds.union([.null])) | convertible.all
            | (kinds == declared.kinds && !isUnexamined ? convertible.some : 0)
        return tags.known & ~fitting
    }

    /// The attribute as the contract describes it.
    var schema: AttributeSchema {
        AttributeSchema(
            name, kinds: kinds, storedKinds: ValueTag.kinds(in: tags.known), default: defaultValue,
            isOptional: isOptional, formerNames: formerNames)
    }
}
