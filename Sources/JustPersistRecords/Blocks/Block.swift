import JustPersist

/// A running block over one state of the store: the common part of read blocks and write blocks.
///
/// One thread uses the block, and calls on other threads are refused. After ``end()`` only the items that the block
/// returned remain in use.
class Block {
    // Unchecked: the property is read for every key, and code that runs during an assignment does not access it.
    @safe @exclusivity(unchecked) private(set) var reader: any KeyValueReader
    /// The number of the state that the block sees, if the engine numbers states.
    private(set) var snapshotNumber: UInt64?
    let context: StoreContext
    /// The id in the store's header when a read block began; `nil` if there was no header, and in write blocks.
    ///
    /// It is not that of the context if the store was opened read-only when it was empty.
    final var headerID: ItemID?
    /// The types of the state that the block sees.
    let known: BlockCatalog
    let thread = BlockThread()

    /// The numbers of records and entries that queries have read, for their plans.
    @safe @exclusivity(unchecked) final var recordsExamined = 0
    @safe @exclusivity(unchecked) final var entriesExamined = 0
    /// The notes of a request that is being explained.
    final var explained: PlanNote?
    /// The number of requests so far and of the entries that they have read.
    ///
    /// It is counted across requests, so that cancellation of the block's task also ends a series of short requests.
    @safe @exclusivity(unchecked) final var workSteps = WorkSteps()

    /// The number of items made, inserted or deleted in this block.
    var changeCount: Int { 0 }

    private var types: [TypeKey: BlockType] = [:]
    /// The types by their keys: one for each class in use.
    private var typesByKey: [String: [BlockType]] = [:]
    /// The types that are bound to a type of the store, by its number.
    private var typesByNumber: [UInt32: [BlockType]] = [:]
    // Unchecked, for the reason given above.
    @safe @exclusivity(unchecked) private var lastType: BlockType?
    /// Whether the block has a type of items of any class, so that objects may have been made for rules of relationships.
    @safe @exclusivity(unchecked) private(set) final var followsRules = false
    private var tables: [UInt32: RecordTable] = [:]
    /// Whether the types of the block were determined from records, so that they are valid for this state only.
    private(set) var dependsOnRecords = false

    private struct TypeKey: Hashable {
        let key: String
        /// Part of the key because two classes may share a schema.
        let itemClass: ObjectIdentifier
        /// The class's schema; `nil` for dynamic items.
        let schema: ObjectIdentifier?
        /// Part of the key because an object of any class is returned then.
        let isOfAnyClass: Bool
    }

    init(reader: any KeyValueReader, catalog: Catalog, context: StoreContext) {
        self.reader = reader
        snapshotNumber = reader.snapshotNumber
        known = BlockCatalog(catalog)
        hadRelationships = !catalog.schemasWithRelationships.isEmpty
        self.context = context
    }

    /// Reuses an ended read block, to which no item refers, for a state with the same catalog.
    final func begin(_ reader: any KeyValueReader) {
        self.reader = reader
        snapshotNumber = reader.snapshotNumber
        thread.begin()
    }

    /// Ends the use of the accessor and makes the block's items read-only.
    func end() {
        reader = EndedTransaction.shared
        thread.end()
    }

    func checkOpen(_ operation: String) throws(DataStoreError) { try thread.check(operation) }

    /// The type as this block uses it.
    ///
    /// - Throws: An error of its schema; `.conflictingTypes` if the store has items under two keys of the type, and
    ///   `.conflictingAttributes` if it has values under two names of an attribute.
    func blockType(_ type: ItemType) throws(DataStoreError) -> BlockType {
        // Usually this is the type of the last call.
        if let lastType, let schema = type.schema, lastType.itemType.schema === schema,
            lastType.itemType.itemClass == type.itemClass,
            lastType.itemType.isOfAnyClass == type.isOfAnyClass
        {
            return lastType
        }
        let key = TypeKey(
            key: type.key, itemClass: ObjectIdentifier(type.itemClass),
            schema: type.schema.map { ObjectIdentifier($0) }, isOfAnyClass: type.isOfAnyClass)
        if let found = types[key] {
            lastType = found
            return found
        }
        try type.schema?.validate()
        let damage = known.catalog.damage(of: type)
        let stored = damage == nil ? try storedType(type) : nil
        let new = BlockType(
            type, stored: stored, stored.map { table(of: $0) }, damage: damage, known, context)
        if !new.ambiguous.isEmpty {
            dependsOnRecords = true
            try settle(new)
        }
        types[key] = new
        if type.isOfAnyClass { followsRules = true }
        typesByKey[type.key, default: []].append(new)
        note(new)
        lastType = new
        return new
    }

    /// Whether declaring a class would change nothing.
    func isDeclared(_ type: ItemType) throws(DataStoreError) -> Bool {
        // Declaring a class merges the types that it has.
        if known.catalog.candidates(for: type).count != 1 { return false }
        return try blockType(type).hasDeclarations
    }

    /// Forgets what was read from the declarations of relationships.
    ///
    /// Does nothing while the store has no relationships: otherwise, declaring many types would take quadratic time.
    func forgetRelations() {
        let has = !known.catalog.schemasWithRelationships.isEmpty
        if has || hadRelationships { for type in types.values { type.forgetRelations() } }
        hadRelationships = has
    }
    /// Whether the store had relationships when the block began, or when they were last forgotten.
    private var hadRelationships: Bool

    /// A type as the store knows it; `nil` if the store has never seen it.
    private func storedType(_ type: ItemType) throws(DataStoreError) -> CatalogType? {
        let candidates = known.catalog.candidates(for: type)
        guard candidates.count > 1, let schema = type.schema else { return candidates.first }
        dependsOnRecords = true
        return try settle(candidates, schema)
    }

    /// Chooses the type that holds the items, if the store has several types for a class.
    func settle(
        _ candidates: [CatalogType], _ schema: ItemSchema
    ) throws(DataStoreError) -> CatalogType? {
        try Catalog.choose(among: candidates, for: schema, holdsItems: holdsItems)
    }

    /// Whether a type has any record, regardless of its stored number of items.
    func holdsItems(_ type: CatalogType) throws(DataStoreError) -> Bool {
        try holdsKeys(in: RecordKey.range(type: type.number))
    }

    /// Calls `body` with the verified keys of a range of index entries until it returns `.stop`, within the work limits
    /// of the request.
    ///
    /// Requests read entries only through this function and ``passKeys(_:reversed:most:)``.
    final func scanKeys(
        _ range: KeyRange, reversed: Bool,
        _ body: (Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        guard context.checksBytes else {
            return try reader.scanKeys(range, reversed: reversed) { (key) throws(DataStoreError) in
                try workSteps.count()
                return try body(key)
            }
        }
        try reader.scan(range, reversed: reversed) { (key, value) throws(DataStoreError) in
            try workSteps.count()
            if !IndexKey.isSound(key, value) { throw known.catalog.damagedEntry(key) }
            return try body(key)
        }
    }

    /// Skips up to `most` verified index entries in a range, within the work limits of the request.
    ///
    /// Returns their number, and the key of the last one if the limit was reached. This is faster than
    /// ``scanKeys(_:reversed:_:)``, because the entries are only counted.
    final func passKeys(
        _ range: KeyRange, reversed: Bool, most: Int
    ) throws(DataStoreError) -> (count: Int, last: [UInt8]?) {
        if most <= 0 { return (0, nil) }
        let areChecked = context.checksBytes
        var count = 0
        var last: [UInt8]?
        try reader.scan(range, reversed: reversed) { (key, value) throws(DataStoreError) in
            if areChecked, !IndexKey.isSound(key, value) { throw known.catalog.damagedEntry(key) }
            count += 1
            if count & 255 == 0 { try WorkLimit.check() }
            if count < most { return .next }
            last = key.copied(0..<key.count)
            return .stop
        }
        entriesExamined += count
        return (count, last)
    }

    /// Whether there is any key in a range.
    final func holdsKeys(in range: KeyRange) throws(DataStoreError) -> Bool {
        var isFound = false
        try reader.scanKeys(range, reversed: false) { (_) throws(DataStoreError) in
            isFound = true
            return .stop
        }
        return isFound
    }

    /// Chooses the stored attributes that hold the values, if the store has several attributes for a declaration.
    func settle(_ type: BlockType) throws(DataStoreError) {
        for (index, places) in type.ambiguous {
            guard let stored = type.stored, let attribute = type.itemType.schema?.attributes[index],
                let id = try stored.choose(
                    among: places, for: attribute, holdsValues: holdsValues)
            else { continue }
            type.settle(index, at: id)
        }
    }

    /// Whether any item of a type has a value for an attribute.
    func holdsValues(_ type: CatalogType, _ attribute: UInt16) throws(DataStoreError) -> Bool {
        if type.attributes[Int(attribute)].tags.isEmpty { return false }
        var isFound = false
        var pass = RecordPass()
        // A declaration that asks may be refused yet, so no table is bound to its type.
        let table = tables[type.number] ?? RecordTable(type, isChecked: context.checksBytes)
        _ = try table.scan(&pass, in: reader) { (_, record) throws(DataStoreError) in
            guard let field = RecordFormat.field(attribute, in: record), field.tag != ValueTag.null
            else { return .next }
            isFound = true
            return .stop
        }
        return isFound
    }

    /// The records of a type.
    func table(of type: CatalogType) -> RecordTable {
        if let table = tables[type.number] { return table }
        let table = RecordTable(type, isChecked: context.checksBytes)
        tables[type.number] = table
        bind(table, to: type)
        return table
    }

    /// Binds the records of a type to its latest declaration.
    final func bindTable(of type: CatalogType) {
        if let table = tables[type.number] { bind(table, to: type) }
    }

    /// Prepares the records of a type for writing, if the block writes.
    func bind(_ table: RecordTable, to type: CatalogType) {}

    /// The records of a type; `nil` if the store has never seen it.
    func table(of type: BlockType) throws(DataStoreError) -> RecordTable? {
        try type.readableTable()
    }

    /// The tables of all types used in this block so far.
    var usedTables: Dictionary<UInt32, RecordTable>.Values { tables.values }

    /// The block's types, under any key, that are bound to a type of the store.
    func usedTypes(_ type: CatalogType) -> [BlockType] {
        var used = typesByNumber[type.number] ?? []
        for key in [type.key] + type.formerKeys {
            for other in typesByKey[key] ?? [] where !used.contains(where: { $0 === other }) {
                used.append(other)
            }
        }
        return used
    }

    /// Notes the type of the store to which a block's type is bound.
    func note(_ type: BlockType) {
        guard let number = type.table?.number,
            typesByNumber[number]?.contains(where: { $0 === type }) != true
        else { return }
        typesByNumber[number, default: []].append(type)
    }

    /// Writes pending changes, so queries see them.
    func prepareForQuery() throws(DataStoreError) {}

    /// The item object for a record that a query has found.
    func item(
        _ type: BlockType, id: ItemID, record: Span<UInt8>
    ) throws(DataStoreError) -> any DataStoreItem {
        type.itemType.itemClass.init(
            backing: FrozenBacking.make(type, id: id, record: record, block: self))
    }

    /// The item object for a record that was found earlier.
    func currentItem(
        _ type: BlockType, id: ItemID, record: [UInt8]
    ) throws(DataStoreError) -> (any DataStoreItem)? {
        try item(type, id: id, record: record.span)
    }

    /// The item object with that id, if there is such an item.
    func liveItem(_ type: BlockType, id: ItemID) throws(DataStoreError) -> (any DataStoreItem)? {
        var found: (any DataStoreItem)?
        try withRecord(type, id: id) { (record) throws(DataStoreError) in
            found = try item(type, id: id, record: record)
        }
        return found
    }

    /// The number of items of a type.
    func storedCount(_ type: BlockType) throws(DataStoreError) -> Int {
        try table(of: type)?.count(in: reader) ?? 0
    }

    /// Looks an item up by its id, and calls `body` with its record if there is one.
    func withRecord(
        _ type: BlockType, id: ItemID, _ body: (Span<UInt8>) throws(DataStoreError) -> Void
    ) throws(DataStoreError) {
        _ = try table(of: type)?.withRecord(id, in: reader, body)
    }
}
