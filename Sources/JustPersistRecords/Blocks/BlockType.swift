import JustPersist

/// A type in one block: the Swift class's attributes with their ids in the store.
///
/// Belongs to its block, and does not change after the block has ended.
final class BlockType {
    let itemType: ItemType
    /// The item class, if its items can be changed.
    let mutableClass: (any MutableDataStoreItem.Type)?
    let context: StoreContext
    /// The size in bytes from which a text is compared with the limits; a smaller text is below all of them.
    let smallText: Int
    /// The types of the block.
    let known: BlockCatalog
    /// The type as the store knows it; `nil` if the store has never seen it.
    private(set) var stored: CatalogType?
    /// The error if damage hides whether the store knows the type.
    private let damage: DataStoreError?
    private var isForbidden = false

    /// The type's records in the block; `nil` if the store has never seen the type.
    private(set) var table: RecordTable?
    // Unchecked, here and below: code that runs during a change does not access them.

    /// The attribute ids by index in the class's schema; ``unbound`` for an attribute that the store does not know.
    @safe @exclusivity(unchecked) private var ids: [UInt16] = []
    private static let unbound = UInt16.max
    /// The tags that values may have, a bit for each: by index in the class's schema, or by attribute id for a type
    /// without a class.
    @safe @exclusivity(unchecked) private var allowedTags: [UInt16] = []
    /// The names of the class's attributes; for a type without a class, those of the store's.
    @safe @exclusivity(unchecked) private(set) var attributeNames: [String] = []
    /// The places of the attributes with these names.
    @safe @exclusivity(unchecked) private(set) var attributePlaces: [Int] = []
    /// Attribute ids by current name, and defaults by id, for a type without a class.
    // Copied from ``stored``, which is large and would be copied at each access.
    @safe @exclusivity(unchecked) private var currentIDs: [String: UInt16] = [:]
    @safe @exclusivity(unchecked) private var defaults: [DataStoreValue?] = []
    /// The attributes that the store has under several names, with their ids.
    private(set) var ambiguous: [(index: Int, places: [UInt16])] = []
    @safe @exclusivity(unchecked) private var isDeclared = false
    /// The indexes that queries may use; `nil` until the first query.
    private var knownIndexes: [TypeIndex]?
    /// The attributes used by queries, by name.
    @safe @exclusivity(unchecked) private var queryAttributes: [String: QueryAttribute?] = [:]
    /// The shapes of the latest requests, the newest last.
    @safe @exclusivity(unchecked) private var shapes: [QueryShape] = []
    private static let mostShapes = 16
    @safe @exclusivity(unchecked) private var knownComplete: Bool?

    init(
        _ itemType: ItemType, stored: CatalogType?, _ table: RecordTable?,
        damage: DataStoreError?, _ known: BlockCatalog, _ context: StoreContext
    ) {
        self.itemType = itemType
        self.known = known
        self.damage = damage
        mutableClass = itemType.itemClass as? any MutableDataStoreItem.Type
        self.context = context
        smallText = context.smallText
        bind(to: stored, table)
    }

    /// The type's records, for reading; `nil` if the store has never seen the type.
    ///
    /// Throws if damage of the catalog hides whether the store knows the type, or if a later release forbids reading.
    func readableTable() throws(DataStoreError) -> RecordTable? {
        if let damage { throw damage }
        if isForbidden, let stored { throw stored.newerFormat(in: "read") }
        return table
    }

    /// Throws if a later release forbids writing the type's items.
    func checkWriting() throws(DataStoreError) {
        _ = try readableTable()
        if let stored, stored.unknown.forbidsWriting { throw stored.newerFormat(in: "write") }
    }

    /// Binds the type to the store's present entry for it.
    func bind(to stored: CatalogType?, _ table: RecordTable?) {
        self.stored = stored
        self.table = table
        isForbidden = stored?.unknown.forbidsReading ?? false
        defer {
            // Ids count up from 0, and most classes have all attributes of their type.
            template = EditableRecord.Template(
                attributes: stored?.attributes.count ?? 0, capacity: template.capacity)
        }
        knownComplete = nil
        knownIndexes = nil
        knownDefaults = nil
        possibleTags = []
        queryAttributes = [:]
        forgetRelations()
        shapes = []
        ambiguous = []
        guard let schema = itemType.schema else {
            let attributes = stored?.attributes ?? []
            allowedTags = attributes.map {
                $0.laterKinds.isEmpty
                    ? Self.tags(of: $0.kinds)
                    : 1 << UInt16(ValueTag.null) | ValueTag.bits(of: $0.kinds)
            }
            attributePlaces = attributes.indices.filter { !attributes[$0].isRetired }
            attributeNames = attributePlaces.map { attributes[$0].name }
            currentIDs = stored?.currentIDs ?? [:]
            defaults = attributes.map(\.defaultValue)
            return
        }
        if attributeNames.isEmpty {
            attributeNames = schema.attributes.map(\.name)
            attributePlaces = Array(schema.attributes.indices)
        }
        if allowedTags.isEmpty { allowedTags = schema.attributes.map { Self.tags(of: $0.kinds) } }
        let isPlain = schema.attributes.allSatisfy { attribute in
            attribute.formerNames.isEmpty && stored?.currentID(ofAttribute: attribute.name) != nil
        }
        if isPlain {
            ids = schema.attributes.map { stored?.currentID(ofAttribute: $0.name) ?? Self.unbound }
            return
        }
        let places = stored?.places(of: schema) ?? []
        ids = schema.attributes.indices.map { index in
            guard let stored, let first = places[index].first else { return Self.unbound }
            if places[index].count > 1 { ambiguous.append((index, places[index])) }
            return places[index].first { !stored.attributes[Int($0)].tags.isEmpty } ?? first
        }
    }

    /// Sets the id that holds the values of an attribute, if the store has several ids for it.
    func settle(_ index: Int, at id: UInt16) {
        ids[index] = id
        queryAttributes = [:]
        shapes = []
    }

    /// Notes that the class's declarations are in the catalog.
    ///
    /// One declaration in a block is enough, even if another class declares the type differently.
    func noteDeclared() { isDeclared = true }

    /// Notes that declarations of the class were removed from the catalog.
    func noteUndeclared() {
        isDeclared = false
        knownComplete = nil
    }

    /// Whether the class can be used without declaring it.
    var isComplete: Bool {
        if isDeclared { return true }
        if let knownComplete { return knownComplete }
        let isComplete = stored?.unknown.forbidsWriting != true && hasDeclarations
        knownComplete = isComplete
        return isComplete
    }

    /// Whether the catalog has all declarations of the class, and notes no values that the class may be unable to read.
    var hasDeclarations: Bool {
        guard let schema = itemType.schema else { return stored != nil }
        guard let stored, ambiguous.isEmpty, stored.hasKey(of: schema),
            known.catalog.knowsFormerKeys(of: schema)
        else { return false }
        let relationshipsToMany = schema.relationshipsToMany
        for (index, attribute) in schema.attributes.enumerated() {
            let id = ids[index]
            guard id != Self.unbound, !stored.isNewName(attribute, at: id),
                stored.attributes[Int(id)].isUp(to: attribute),
                stored.attributes[Int(id)].tags.known & ~allowedTags[index] == 0
                    || stored.attributes[Int(id)].misfits(attribute) == 0,
                attribute.formerNames.allSatisfy({
                    stored.id(ofAttribute: $0) != nil || relationshipsToMany.contains($0)
                })
            else { return false }
        }
        return stored.hasIndexes(schema.indexes)
            && relationshipsToMany.allSatisfy { stored.id(ofAttribute: $0) == nil }
            && (schema.relationships.isEmpty && stored.relationships.isEmpty
                || Set(schema.relationships) == Set(stored.relationships))
    }

    private static func tags(of kinds: Set<DataStoreValue.Kind>) -> UInt16 {
        kinds.isEmpty ? .max : ValueTag.bits(of: kinds) | 1 << UInt16(ValueTag.null)
    }

    /// The defaults recorded in the store.
    var recordedDefaults: RecordedDefaults {
        if let knownDefaults { return knownDefaults }
        let defaults = RecordedDefaults(stored?.attributes ?? [], known)
        knownDefaults = defaults
        return defaults
    }
    @safe @exclusivity(unchecked) private var knownDefaults: RecordedDefaults?

    /// The start of a new item's record.
    @safe @exclusivity(unchecked) private(set) var template = EditableRecord.Template(attributes: 0)

    /// Notes the length of a record, to reserve memory for the next new one.
    func noteLength(_ length: Int) {
        if length > template.capacity, template.capacity < 1024 {
            template.capacity = min(length, 1024)
        }
    }

    /// The id of the attribute at an index of the class's schema; `nil` if it has no values yet.
    @inline(__always)
    func id(at index: Int) -> UInt16? {
        guard index >= 0, index < ids.count, ids[index] != Self.unbound else { return nil }
        return ids[index]
    }

    /// The id of the attribute at an index of the class's schema, if values with that tag may be set and the catalog
    /// has all declarations of the class.
    @inline(__always)
    func attribute(at index: Int, taking tag: UInt8) -> UInt16? {
        guard isComplete, allows(tag: tag, atPlace: index) else { return nil }
        return id(at: index)
    }

    /// The place of the named attribute: its index in the class's schema or, without a class, its id.
    ///
    /// Throws for an undeclared name.
    func place(ofAttribute name: String, in operation: String) throws(DataStoreError) -> Int {
        if let place = place(ofAttribute: name) { return place }
        throw .unknownAttribute(name, ofType: itemType.key, in: operation)
    }

    private func place(ofAttribute name: String) -> Int? {
        if let schema = itemType.schema { return schema.index(ofAttribute: name) }
        return (currentIDs[name] ?? stored?.formerID(ofAttribute: name)).map { Int($0) }
    }

    /// Whether an attribute of a type without a class is null in items that hold no value for it.
    func isNullWhereAbsent(_ place: Int) -> Bool {
        itemType.schema == nil && defaults.indices.contains(place) && defaults[place] == nil
    }

    /// The id of the attribute at a place; `nil` if it is declared and has no values yet.
    @inline(__always)
    func id(atPlace place: Int) -> UInt16? {
        itemType.schema == nil ? UInt16(exactly: place) : id(at: place)
    }

    /// Whether an attribute may have values with that tag.
    @inline(__always)
    func allows(tag: UInt8, atPlace place: Int) -> Bool {
        guard place >= 0, place < allowedTags.count else { return true }
        return allowedTags[place] & 1 << UInt16(tag) != 0
    }

    /// The class's declaration of the attribute at a place, with the default recorded in the store.
    func attribute(atPlace place: Int) -> AttributeSchema? {
        guard let attributes = itemType.schema?.attributes else {
            guard let stored, stored.attributes.indices.contains(place) else { return nil }
            return stored.attributes[place].schema
        }
        guard attributes.indices.contains(place) else { return nil }
        guard let id = id(at: place) else { return attributes[place] }
        return attributes[place].withDefault(recorded: stored?.attributes[Int(id)].recordedDefault)
    }

    /// The attribute with that name in a predicate or a sort; `nil` if it can only be null.
    func attributeForQuery(_ name: String) -> QueryAttribute? {
        if let known = queryAttributes[name] { return known }
        let attribute = findAttribute(name)
        // Limited, because requests may contain any number of names.
        if queryAttributes.count < 256 { queryAttributes[name] = .some(attribute) }
        return attribute
    }

    private func findAttribute(_ name: String) -> QueryAttribute? {
        if let place = place(ofAttribute: name), let schema = attribute(atPlace: place) {
            return QueryAttribute(id: id(atPlace: place), schema)
        }
        guard let stored, let id = stored.id(ofAttribute: name) else { return nil }
        return QueryAttribute(id: id, stored.attributes[Int(id)].schema)
    }

    /// The relationship to many of that name, which is no attribute.
    func relationshipToMany(_ name: String) -> RelationshipSchema? {
        relationships.first { $0.isToMany && $0.name == name }
    }

    /// The relationships that the class declares, or else the store.
    var relationships: [RelationshipSchema] {
        itemType.schema?.relationships ?? stored?.relationships ?? []
    }

    /// The relationship of that name, which the class declares, or else the store.
    func relationship(_ name: String) -> RelationshipSchema? {
        relationships.first { $0.name == name }
    }

    /// The to-one relationships whose items may be gone: see `[ItemSchema].dangling(of:)`.
    var dangling: Set<String> {
        if let knownDangling { return knownDangling }
        let schemas = known.catalog.schemasWithRelationships
        let names = schemas.isEmpty ? [] : schemas.dangling(of: itemType)
        knownDangling = names
        return names
    }
    @safe @exclusivity(unchecked) private var knownDangling: Set<String>?

    /// Forgets what depends on the declarations of other types.
    func forgetRelations() { (relations, knownDangling) = ([:], nil) }

    /// A relationship with its inverse, resolved once in the block.
    func relation(
        _ name: String, _ resolve: () throws(DataStoreError) -> Relation
    ) throws(DataStoreError) -> Relation {
        if let known = relations[name] { return known }
        let relation = try resolve()
        relations[name] = relation
        return relation
    }
    @safe @exclusivity(unchecked) private var relations: [String: Relation] = [:]

    /// The shape of a request that was bound before.
    func shape(
        _ predicate: DataStorePredicate, _ sort: [DataStoreSortDescriptor]
    ) -> QueryShape? {
        shapes.last { $0.fits(predicate, sort) }
    }

    /// Keeps the shape of a request for the next one.
    func keep(_ shape: QueryShape) {
        if shapes.count == Self.mostShapes { shapes.removeFirst() }
        shapes.append(shape)
    }

    /// The attribute of a request's key; `nil` if the key is computed, or is a longer path.
    func attributeForQuery(_ key: RequestKey) -> QueryAttribute? {
        guard let path = key.path, path.components.count == 1 else { return nil }
        return attributeForQuery(path.components[0])
    }

    /// The names that requests may use; `nil` if neither a class nor the store declares attributes.
    var namesForQuery: (any AttributeNames)? {
        itemType.schema != nil || stored?.isDeclared == true ? self : nil
    }

    /// The id of the attribute with that name in a request; `nil` if the store has none.
    func idForQuery(_ name: String) -> UInt16? {
        if let place = place(ofAttribute: name) { return id(atPlace: place) }
        return stored?.id(ofAttribute: name)
    }

    /// The indexes that hold all items, with the values that this class sees.
    var indexes: [TypeIndex] {
        if let knownIndexes { return knownIndexes }
        var indexes: [TypeIndex] = []
        if let stored, context.keepsIndexes {
            indexes = stored.indexes.filter { index in
                index.isUsable
                    && index.components.allSatisfy { isAsStored($0.attribute, in: stored) }
            }.map { TypeIndex($0, of: stored, known) }
        }
        knownIndexes = indexes
        return indexes
    }

    /// Whether the class and the store's declaration give an attribute the same values.
    private func isAsStored(_ attribute: UInt16, in stored: CatalogType) -> Bool {
        // The order of values of later kinds is unknown.
        if stored.attributes[Int(attribute)].tags.hasLater { return false }
        guard let attributes = itemType.schema?.attributes,
            let place = ids.firstIndex(of: attribute)
        else { return true }
        return stored.attributes[Int(attribute)].hasSameValues(as: attributes[place])
    }

    /// Whether an item may have a value with one of these tags for an attribute.
    func mayHave(tags: UInt16, _ attribute: UInt16) -> Bool {
        if possibleTags.isEmpty { possibleTags = stored?.attributes.map(\.possibleTags) ?? [] }
        return attribute >= possibleTags.count || possibleTags[Int(attribute)] & tags != 0
    }
    /// The tags of the values that items may have, by attribute id; empty until the first query.
    @safe @exclusivity(unchecked) private var possibleTags: [UInt16] = []

    /// Whether an item may have a text for an attribute that differs from its composed form.
    func mayHaveComposed(_ attribute: UInt16) -> Bool {
        guard let stored, stored.attributes.indices.contains(Int(attribute)) else { return true }
        let known = stored.attributes[Int(attribute)]
        if known.tags.contains(ValueTag.text) { return true }
        guard case .string(let text) = known.defaultValue else { return false }
        return ValueTag.tag(ofTextWith: text.utf8.max() ?? 0) == ValueTag.text
    }

    /// The attributes with a default, for which null differs from no value.
    var attributesWithDefault: [String] {
        let places = itemType.schema?.attributes.indices ?? stored?.attributes.indices ?? 0..<0
        return places.compactMap { place in
            attribute(atPlace: place).flatMap { $0.defaultValue == nil ? nil : $0.name }
        }
    }

    /// The error for a value that neither has a declared kind nor can be converted to one.
    func unreadable(_ kind: DataStoreValue.Kind, atPlace place: Int) -> DataStoreError {
        let attribute = attribute(atPlace: place)
        var items = ""
        if let stored, let id = id(atPlace: place) {
            let count = context.countOfValues(of: kind, attribute: id, type: stored.number)
            if let count, count > 0 { items = " in \(count) \(count == 1 ? "item" : "items")" }
        }
        return .kindMismatch(
            kind, of: attribute?.name ?? "#\(place)", ofType: itemType.key,
            declared: attribute?.kinds ?? [], in: "value",
            """
            it was stored under an earlier declaration\(items), and cannot be read. Set a new value, or read \
            the stored one with dynamicItems(_:).
            """)
    }

    /// The error for an unreadable value in a record of this type: the record is damaged, or a later release has added
    /// the value's kind.
    func corrupted(_ id: ItemID, attribute: String? = nil) -> DataStoreError {
        stored?.hasLaterValues == true
            ? .laterRecord(id, ofType: itemType.key, attribute: attribute)
            : .damagedRecord(id, ofType: itemType.key, attribute: attribute)
    }

    /// Throws if an attribute is declared with kinds of a later release, to which a value may belong.
    func checkKnownKinds(atPlace place: Int) throws(DataStoreError) {
        guard itemType.schema == nil, let stored, stored.attributes.indices.contains(place),
            !stored.attributes[place].laterKinds.isEmpty
        else { return }
        throw stored.newerFormat(in: "setValue", attribute: stored.attributes[place].name)
    }
}

extension BlockType: AttributeNames {
    var itemTypeKey: String { itemType.key }

    func names(inRelationship name: String) -> (any AttributeNames)? {
        guard let relationship = relationship(name) else { return nil }
        let stored = known.catalog.type(relationship.destination)
        return relationship.others.attributeNames(stored: stored.map(known.catalog.schema))
    }

    /// The kinds that the class declares; all kinds for an undeclared attribute.
    ///
    /// Without a class, the declared kinds and those of values stored before the declaration.
    func kinds(ofAttribute name: String) -> ValueKinds? {
        if let kinds = itemType.schema?.kinds(ofAttribute: name) { return kinds }
        guard let stored, let id = stored.id(ofAttribute: name) else {
            return relationshipToMany(name) == nil ? nil : ValueKinds(.array)
        }
        let attribute = stored.attributes[Int(id)]
        if itemType.schema != nil || attribute.kinds.isEmpty { return ValueKinds(declared: []) }
        return ValueKinds(declared: attribute.kinds.union(ValueTag.kinds(in: attribute.tags.known)))
    }
}
