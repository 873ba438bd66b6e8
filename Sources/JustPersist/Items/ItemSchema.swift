/// The key of a type of items, its attributes and its indexes.
///
/// The `@Item` macro generates it; a class without the macro declares it as a `static let`. A store records the
/// schema of every type in its catalog, so ``DataStoreReadAccessor/schemas()`` describes the contents of a store
/// without the program that wrote it.
public final class ItemSchema: Sendable {
    /// The name that identifies the type in a store.
    ///
    /// Renaming the Swift class does not change it.
    public let itemTypeKey: String
    /// The keys of the type in earlier releases; a store finds items and references that were stored under them.
    ///
    /// In a schema that a store returns, these are all the keys that the type has ever had.
    public let formerTypeKeys: [String]
    /// The attributes, in the order in which items address them by index.
    public let attributes: [AttributeSchema]
    /// Indexes over one attribute or several, and uniqueness.
    public let indexes: [IndexSchema]
    /// The relationships to items of other types, and of the same one.
    ///
    /// Each that is not to many is an attribute with a reference too, and has an index.
    public let relationships: [RelationshipSchema]

    private let indexByName: [String: Int]
    private let contradiction: DataStoreError?

    /// A schema of the named type.
    ///
    /// Attributes declared `isIndexed` or `isUnique` appear in ``indexes`` without being listed there. An attribute without
    /// kinds whose ``AttributeSchema/keyPath`` leads to an optional item or to an array of items is a relationship and
    /// appears in ``relationships``. A store refuses an inconsistent schema with the error of ``validate()``.
    public init(
        _ itemTypeKey: String, formerTypeKeys: [String] = [], attributes: [AttributeSchema],
        indexes: [IndexSchema] = [], relationships: [RelationshipSchema] = []
    ) {
        self.itemTypeKey = itemTypeKey
        self.formerTypeKeys = formerTypeKeys
        let declared = Set(relationships.map(\.name))
        var (attributes, indexes, relationships) = (attributes, indexes, relationships)
        let plain = attributes.filter { !declared.contains($0.name) }
        for attribute in plain {
            guard let relationship = attribute.relationship,
                attribute.mayBeToMany || !relationship.isToMany
            else { continue }
            relationships.append(relationship)
            let reference = relationship.isToMany ? [] : [attribute.withReference]
            attributes = attributes.flatMap { $0.name == attribute.name ? reference : [$0] }
        }
        self.relationships = relationships
        for relationship in relationships where !relationship.isToMany {
            if !attributes.contains(where: { $0.name == relationship.name }) {
                attributes.append(
                    AttributeSchema(
                        relationship.name, kinds: [.reference],
                        formerNames: relationship.formerNames, keyPath: relationship.keyPath))
            }
            let index = IndexSchema([relationship.name])
            if !indexes.contains(index) { indexes.append(index) }
        }
        self.attributes = attributes
        let single = attributes.compactMap { attribute in
            attribute.isUnique || attribute.isIndexed
                ? IndexSchema(
                    [attribute.name], isUnique: attribute.isUnique,
                    ignoresCase: attribute.ignoresCase) : nil
        }
        self.indexes = single + indexes
        indexByName = Dictionary(
            attributes.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        contradiction =
            plain.lazy.compactMap { $0.refusal(in: itemTypeKey) }.first
            ?? Self.contradiction(in: attributes, of: itemTypeKey)
            ?? Self.contradiction(in: relationships, indexes, of: itemTypeKey)
    }

    /// Checks that the schema is consistent.
    ///
    /// Stores call this before they use a schema.
    ///
    /// - Throws: `.conflictingAttributes` if two attributes have one name, now or formerly; `.kindMismatch` if a
    ///   default is of none of its attribute's kinds.
    public func validate() throws(DataStoreError) {
        if let contradiction { throw contradiction }
    }

    private static func contradiction(
        in relationships: [RelationshipSchema], _ indexes: [IndexSchema], of itemTypeKey: String
    ) -> DataStoreError? {
        func error(_ relationship: RelationshipSchema, _ reason: String) -> DataStoreError {
            DataStoreError(
                .conflictingRelationships, in: "declare",
                "“\(relationship.name)” of “\(itemTypeKey)” \(reason)", itemType: itemTypeKey,
                attribute: relationship.name)
        }
        var (names, inverses): (Set<String>, Set<String>) = ([], [])
        for relationship in relationships {
            if !names.insert(relationship.name).inserted {
                return error(relationship, "is declared twice. Remove one.")
            }
            if relationship.isToMany, relationship.isPlain,
                indexes.contains(where: { $0.attributes.contains(relationship.name) })
            {
                return error(
                    relationship,
                    "is a relationship to many, which has no index. Remove it from #Index and #Unique."
                )
            }
            let (least, most) = (relationship.minimum, relationship.maximum)
            if least < 0 || most.map({ $0 < Swift.max(least, 1) }) ?? false {
                return error(
                    relationship,
                    """
                    may have from \(least) to \(most.map(String.init) ?? "any number of") others, which no item can. Correct \
                    the numbers.
                    """)
            }
        }
        for relationship in relationships {
            if let name = relationship.formerNames.first(where: {
                $0 != relationship.name && names.contains($0)
            }) {
                return error(
                    relationship,
                    "was named “\(name)”, and another relationship has that name now. Choose another name for it."
                )
            }
            guard let inverse = relationship.inverse, relationship.destinationClass == nil,
                !inverses.insert("\(relationship.destination).\(inverse)").inserted
            else { continue }
            return error(
                relationship,
                "names an inverse that another relationship names too. Each needs one of its own.")
        }
        return nil
    }

    private static func contradiction(
        in attributes: [AttributeSchema], of itemTypeKey: String
    ) -> DataStoreError? {
        var owners: [String: String] = [:]
        for attribute in attributes {
            if owners.updateValue(attribute.name, forKey: attribute.name) != nil {
                return DataStoreError(
                    .conflictingAttributes, in: "declare",
                    "“\(itemTypeKey)” declares the attribute “\(attribute.name)” twice. Remove one.",
                    itemType: itemTypeKey, attribute: attribute.name)
            }
            guard let value = attribute.defaultValue, !attribute.kinds.isEmpty,
                value.exactly(asOneOf: attribute.kinds) == nil
            else { continue }
            return .kindMismatch(
                value.kind, of: attribute.name, ofType: itemTypeKey, declared: attribute.kinds,
                in: "declare", "it cannot be the default. Declare another one.")
        }
        for attribute in attributes {
            for name in attribute.formerNames {
                let owner = owners.updateValue(attribute.name, forKey: name)
                guard let owner, owner != attribute.name else { continue }
                return DataStoreError(
                    .conflictingAttributes, in: "declare",
                    """
                    “\(itemTypeKey)” declares “\(name)” as a former name of “\(attribute.name)”, and \
                    “\(owner)” has that name too. Each attribute needs names of its own.
                    """, itemType: itemTypeKey, attribute: attribute.name)
            }
        }
        return nil
    }

    /// The name of the attribute at an index, for messages also if there is none.
    func name(at index: Int) -> String {
        attributes.indices.contains(index) ? attributes[index].name : "#\(index)"
    }

    /// The index of the attribute with that name.
    public func index(ofAttribute name: String) -> Int? { indexByName[name] }

    /// The name of the attribute that a key path of the item class refers to, such as `\Restaurant.name`.
    public func attributeName(for keyPath: AnyKeyPath) -> String? {
        attributes.first { $0.keyPath.map { $0 == keyPath } ?? false }?.name
    }
}

extension [ItemSchema] {
    /// The schema of the type that has this key, or else of one that had it in an earlier release.
    package func schema(ofType key: String) -> ItemSchema? {
        first { $0.itemTypeKey == key } ?? first { $0.formerTypeKeys.contains(key) }
    }
}

/// An index over one attribute or several, in order.
public struct IndexSchema: Hashable, Sendable, Codable {
    /// The names of the attributes; the first is the leading one.
    ///
    /// A name may lead into the dictionaries of an attribute with dots: `address.city`. In an index over one
    /// attribute, the elements of arrays are indexed one by one.
    public let attributes: [String]
    /// Whether no two items may have equal values for all of the attributes.
    ///
    /// Items with nil for one of them never conflict. A write block that breaks the rule fails with
    /// ``DataStoreError/Code/uniqueViolation`` in its next query or at its end, and is rolled back.
    public let isUnique: Bool
    /// Whether texts are compared ignoring case, as `==[c]` compares them.
    ///
    /// Such an index serves `==[c]`, `IN[c]`, `BEGINSWITH[c]`, `<[c]` and similar operators, sorts by
    /// ``TextOrder/caseInsensitive``, and finds candidates for `==` and `IN`. If it is unique, "A@b.c" and "a@B.C" are
    /// the same.
    public let ignoresCase: Bool

    /// An index over the named attributes.
    public init(_ attributes: [String], isUnique: Bool = false, ignoresCase: Bool = false) {
        self.attributes = attributes
        self.isUnique = isUnique
        self.ignoresCase = ignoresCase
    }
}
