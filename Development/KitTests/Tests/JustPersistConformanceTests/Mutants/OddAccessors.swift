import JustPersist

@testable import JustPersistConformance

/// The differences of an accessor from the reference store's.
struct AccessorChanges: Sendable {
    /// Wraps the backings of its items.
    var backing: @Sendable (any ItemBacking) -> any ItemBacking = { $0 }
    /// The types that it lists.
    var schemas: @Sendable ([ItemSchema]) -> [ItemSchema] = { $0 }
    /// The items that it streams.
    var walked: @Sendable ([any DataStoreItem]) -> [any DataStoreItem] = { $0 }
    /// The item that it inserts, given whether the item exists already.
    var inserted:
        @Sendable (any MutableDataStoreItem, _ isThere: Bool) -> any MutableDataStoreItem =
            { item, _ in item }
    /// Whether it recognizes deleted items.
    var knowsTheDeleted = true
}

/// A store with faulty accessors.
class AccessorMutant: SabotagedStore, @unchecked Sendable {
    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        let changes = changes(memory)
        rules.reader = { OddReader(ReferenceReadAccessor($0), changes) }
        rules.writer = { OddWriter(ReferenceWriteAccessor($0), changes) }
        return rules
    }

    /// The faults of the accessors.
    class func changes(_ memory: Memory) -> AccessorChanges { AccessorChanges() }
}

/// The accessor of a read block with something changed.
struct OddReader: DataStoreReadAccessor, ~Copyable {
    private let inner: ReferenceReadAccessor
    private let changes: AccessorChanges

    init(_ inner: consuming ReferenceReadAccessor, _ changes: AccessorChanges) {
        self.inner = inner
        self.changes = changes
    }

    func performFetch(_ request: DataStoreRequest) throws(DataStoreError) -> [any DataStoreItem] {
        try inner.performFetch(request)
    }

    func performCount(_ request: DataStoreRequest) throws(DataStoreError) -> Int {
        try inner.performCount(request)
    }

    func performFetchItem(
        _ type: ItemType, id: ItemID
    ) throws(DataStoreError) -> (any DataStoreItem)? {
        try inner.performFetchItem(type, id: id)
    }

    func performForEach(
        _ request: DataStoreRequest, _ body: (any DataStoreItem) throws -> Void
    ) throws {
        for item in changes.walked(try performFetch(request)) { try body(item) }
    }

    func schemas() throws(DataStoreError) -> [ItemSchema] { changes.schemas(try inner.schemas()) }

    func report(_ error: DataStoreError) { inner.report(error) }
}

/// The accessor of a write block with something changed.
struct OddWriter: DataStoreReadWriteAccessor, ~Copyable {
    private let inner: ReferenceWriteAccessor
    private let changes: AccessorChanges

    init(_ inner: consuming ReferenceWriteAccessor, _ changes: AccessorChanges) {
        self.inner = inner
        self.changes = changes
    }

    private func wrap<Item: DataStoreItem>(_ item: Item) -> Item {
        let backing = changes.backing(item.backing)
        return backing === item.backing ? item : Item(backing: backing)
    }

    private func wrapped(_ item: any DataStoreItem) -> any DataStoreItem { wrap(item) }

    private func wrapped(_ item: any MutableDataStoreItem) -> any MutableDataStoreItem {
        wrap(item)
    }

    func performFetch(_ request: DataStoreRequest) throws(DataStoreError) -> [any DataStoreItem] {
        var items: [any DataStoreItem] = []
        for item in try inner.performFetch(request) { items.append(wrapped(item)) }
        return items
    }

    func performCount(_ request: DataStoreRequest) throws(DataStoreError) -> Int {
        try inner.performCount(request)
    }

    func performFetchItem(
        _ type: ItemType, id: ItemID
    ) throws(DataStoreError) -> (any DataStoreItem)? {
        guard let item = try inner.performFetchItem(type, id: id) else { return nil }
        return wrapped(item)
    }

    func performForEach(
        _ request: DataStoreRequest, _ body: (any DataStoreItem) throws -> Void
    ) throws {
        for item in changes.walked(try performFetch(request)) { try body(item) }
    }

    func schemas() throws(DataStoreError) -> [ItemSchema] { changes.schemas(try inner.schemas()) }

    func report(_ error: DataStoreError) { inner.report(error) }

    func performCreate(_ type: ItemType) throws(DataStoreError) -> any MutableDataStoreItem {
        wrapped(try inner.performCreate(type))
    }

    func performInsert(_ item: any MutableDataStoreItem) throws(DataStoreError) -> Bool {
        let known = try inner.performFetchItem(ItemType(of: item), id: item.uniqueToken)
        return try inner.performInsert(changes.inserted(item, known != nil))
    }

    func performDelete(_ item: any DataStoreItem) throws(DataStoreError) -> Bool {
        try inner.performDelete(item) || !changes.knowsTheDeleted
    }

    func performDeleteAll(_ types: [ItemType]) throws(DataStoreError) {
        try inner.performDeleteAll(types)
    }

    func performMutableVersion(
        of item: any DataStoreItem
    ) throws(DataStoreError) -> (any MutableDataStoreItem)? {
        guard let live = try inner.performMutableVersion(of: item) else {
            return changes.knowsTheDeleted ? nil : item as? any MutableDataStoreItem
        }
        return wrapped(live)
    }

    func declare(_ schema: ItemSchema) throws(DataStoreError) { try inner.declare(schema) }
}

/// A backing that passes everything on to another.
class WrappingBacking: ItemBacking {
    private let inner: any ItemBacking

    init(_ inner: any ItemBacking) { self.inner = inner }

    var itemTypeKey: String { inner.itemTypeKey }
    var id: ItemID { inner.id }
    var attributeNames: [String] { inner.attributeNames }
    var storeBacking: any ItemBacking { inner.storeBacking }

    func value(at index: Int) throws(DataStoreError) -> DataStoreValue {
        try inner.value(at: index)
    }

    func setValue(_ value: DataStoreValue, at index: Int) throws(DataStoreError) {
        try inner.setValue(value, at: index)
    }

    func value(forAttribute name: String) throws(DataStoreError) -> DataStoreValue {
        try inner.value(forAttribute: name)
    }

    func storedValue(forAttribute name: String) throws(DataStoreError) -> DataStoreValue {
        try inner.storedValue(forAttribute: name)
    }

    func setValue(
        _ value: DataStoreValue, forAttribute name: String
    ) throws(DataStoreError) {
        try inner.setValue(value, forAttribute: name)
    }

    func value(
        forAttribute name: String, of reference: ItemReference
    ) throws(DataStoreError) -> DataStoreValue {
        try inner.value(forAttribute: name, of: reference)
    }

    func report(_ error: DataStoreError) { inner.report(error) }
}
