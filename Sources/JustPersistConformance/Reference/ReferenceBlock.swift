package import JustPersist

/// A running block: the state that it sees, including the changes of a write block.
///
/// One thread uses the block, and calls on other threads are refused.
package final class ReferenceBlock {
    /// The properties that the blocks of a store share.
    package struct Context: Sendable {
        /// Distinguishes the items of a store and its children from those of another.
        package let family: ItemID
        /// The sizes that the store accepts.
        package let limits: DataStoreLimits
        /// The rules that determine the store's behavior.
        package let rules: ReferenceRules
        /// The place in the store's history of the state that the block sees, if the store reports its changes.
        package let token: @Sendable () -> ChangeToken?
        /// Passes an error to the store's error handler.
        package let report: DataStoreErrorHandler

        /// The properties that the blocks of a store share.
        package init(
            family: ItemID, limits: DataStoreLimits = .contract,
            rules: ReferenceRules = ReferenceRules(),
            token: @escaping @Sendable () -> ChangeToken? = { nil },
            report: @escaping DataStoreErrorHandler
        ) {
            self.family = family
            self.limits = limits
            self.rules = rules
            self.token = token
            self.report = report
        }
    }

    package let context: Context
    /// The current state, including the block's own changes.
    package var state: ReferenceState {
        didSet {
            isJudged = false
            if thread.isCurrent { context.rules.changed?(state) }
        }
    }
    /// The state at the last check of uniqueness.
    var judged: ReferenceState
    var isJudged = true
    /// Whether the block may change anything.
    package let isWriting: Bool
    /// The thread of the block, and whether the block has ended.
    package let thread = BlockThread()
    /// The error because of which the block cannot be committed.
    package private(set) var poison: DataStoreError?
    /// The relationships that the block has changed.
    package let links = BlockLinks()
    /// The schemas of the classes that the block has declared.
    private var known: Set<ObjectIdentifier> = []
    /// The bytes of the values that the block has set.
    private var writtenBytes = 0

    /// The items that a write block has returned: one object for each stored item.
    var live: [ReferenceKey: any DataStoreItem] = [:]
    /// The items that were in no store before the block inserted them.
    private var inserted: [DictionaryBacking] = []
    /// The items that the block created.
    private var made: [ReferenceBacking] = []

    /// A block that sees a state.
    package init(state: ReferenceState, isWriting: Bool, context: Context) {
        self.state = state
        judged = state
        self.isWriting = isWriting
        self.context = context
    }

    /// Ends the block, and freezes its items.
    ///
    /// Unless the block was committed, the items that it inserted belong to no store again.
    package func end(isCommitted: Bool) {
        for item in live.values { Self.backing(of: item)?.freeze() }
        live = [:]
        if !isCommitted {
            for backing in inserted { backing.abandon() }
            for backing in made { backing.becomeDetached() }
        }
        inserted = []
        made = []
        // Last, because afterwards other threads may read the items.
        thread.end()
        state = ReferenceState()
        judged = state
    }

    /// Throws if the block has ended, or can no longer be committed.
    package func check(_ operation: String) throws(DataStoreError) {
        try thread.check(operation)
        if let poison { throw poison }
    }

    /// Ensures that the block is rolled back at its end, even if its code catches the error.
    package func poison(_ error: DataStoreError) { poison = poison ?? error }

    /// Executes a request.
    ///
    /// If the task was cancelled meanwhile, a write block is rolled back.
    package func limited<Value>(
        _ body: () throws(DataStoreError) -> Value
    ) throws(DataStoreError) -> Value {
        do throws(DataStoreError) {
            return try body()
        } catch {
            if isWriting, error.code == .cancelled { poison(error) }
            throw error
        }
    }

    /// Reports an error.
    ///
    /// The error that makes the block fail is reported only once.
    package func report(_ error: DataStoreError) {
        thread.noteReported(error)
        if thread.isCurrent, let known = poison, known.code == error.code,
            known.message == error.message
        {
            if known.isReported { return }
            poison?.isReported = true
        }
        context.report(error)
    }

    // MARK: Items

    /// The object for a row.
    ///
    /// In a write block, there is one object for each row.
    package func item(
        _ row: ReferenceRow, as type: ItemType
    ) throws(DataStoreError) -> any DataStoreItem {
        if let known = live[row.key] {
            if type.isOfAnyClass { return known }
            let backing = Self.backing(of: known)
            if Swift.type(of: known) == type.itemClass {
                backing?.isClaimed = true
                return known
            }
            // An object that no program has gives way to one of the class that is asked for.
            guard let backing, backing.type.isOfAnyClass, !backing.isClaimed else {
                throw .item(known, usedAs: type.itemClass, in: "fetch")
            }
            backing.freeze()
        }
        let item = type.itemClass.init(backing: ReferenceBacking(row, type, in: self))
        if isWriting { live[row.key] = item }
        return item
    }

    /// The object for the item with that id; `nil` if there is none.
    package func item(_ type: ItemType, _ id: ItemID) throws(DataStoreError) -> (
        any DataStoreItem
    )? {
        if let schema = type.schema {
            try schema.validate()
            _ = try state.storedNames(schema)
        }
        guard let key = try state.type(of: type)?.key,
            let row = state.row(ReferenceKey(key, id))
        else { return nil }
        return try item(row, as: type)
    }

    /// Creates an item.
    package func make(_ type: ItemType) throws(DataStoreError) -> any MutableDataStoreItem {
        try know(type, "create")
        guard let itemClass = type.itemClass as? any MutableDataStoreItem.Type else {
            throw .readOnlyClass(.couldNotCreateItemOfType, type.key, in: "create")
        }
        let row = ReferenceRow(state.presentKey(ReferenceKey(type.key, context.rules.newID())))
        state.put(row)
        let backing = ReferenceBacking(row, type, in: self)
        let item = itemClass.init(backing: backing)
        live[row.key] = item
        made.append(backing)
        return item
    }

    /// Inserts an item that is in no store.
    ///
    /// Returns false if its id exists.
    package func add(_ item: any MutableDataStoreItem) throws(DataStoreError) -> Bool {
        guard let detached = try Self.detachedBacking(of: item, "insert") else {
            if try thaw(item) != nil { return false }
            guard let backing = Self.backing(of: item), backing.isDetached else {
                throw .deletedForGood(item, in: "insert")
            }
            try know(backing.type, "insert")
            var nullable: [String] = []
            for name in backing.attributeNames
            where try ReferenceAttribute(name, of: backing.type, in: state)?.hasDefault == true {
                nullable.append(name)
            }
            let values = try item.storedValues(withNullsOf: nullable)
            backing.revive(in: self)
            try put(backing, values)
            backing.isDetached = false
            made.append(backing)
            live[state.presentKey(backing.key)] = item
            return true
        }
        let type = ItemType(of: item)
        try know(type, "insert")
        if let known = try self.item(type, item.uniqueToken) {
            detached.adopt(known.backing.storeBacking)
            inserted.append(detached)
            return false
        }
        let row = ReferenceRow(state.presentKey(ReferenceKey(type.key, item.uniqueToken)))
        let backing = ReferenceBacking(row, type, in: self)
        try put(backing, detached.values)
        detached.adopt(backing)
        inserted.append(detached)
        live[row.key] = item
        return true
    }

    /// Adds a new item with values to the state.
    ///
    /// After an error, nothing has changed.
    private func put(
        _ backing: ReferenceBacking, _ values: [String: DataStoreValue]
    ) throws(DataStoreError) {
        // Not the whole state, because each insertion would copy all rows if there were a second reference to them.
        let before = (types: state.types, writtenBytes: writtenBytes)
        state.put(ReferenceRow(backing.key))
        do throws(DataStoreError) {
            for (name, value) in values.sorted(by: { $0.key < $1.key }) {
                try backing.setValue(value, forAttribute: name)
            }
        } catch {
            state.takeBack(backing.key, before.types)
            writtenBytes = before.writtenBytes
            backing.freeze()
            throw error
        }
    }

    /// Deletes an item.
    ///
    /// Returns false if it was deleted before.
    package func remove(_ item: any DataStoreItem) throws(DataStoreError) -> Bool {
        let type = Self.backing(of: item)?.type ?? ItemType(of: item)
        if try state.type(of: type) != nil { try know(type) }
        let key = state.presentKey(ReferenceKey(type.key, item.uniqueToken))
        if try isDetached(item, "delete"), state.row(key) == nil {
            throw .itemInNoStore(item, in: "delete")
        }
        forget(key)
        return state.remove(key)
    }

    /// Deletes all items of a type.
    package func removeAll(_ type: ItemType) throws(DataStoreError) {
        try type.schema?.validate()
        if try state.type(of: type) != nil { try know(type) }
        let itemType = state.presentKey(type.key)
        for key in live.keys where key.itemType == itemType { forget(key) }
        state.removeAll(type.key)
    }

    private func forget(_ key: ReferenceKey) {
        guard let item = live.removeValue(forKey: key) else { return }
        Self.backing(of: item)?.delete()
    }

    /// The live object for an item of any block of this store or a related one; `nil` if it was deleted.
    package func thaw(
        _ item: any DataStoreItem
    ) throws(DataStoreError) -> (any MutableDataStoreItem)? {
        let isDetached = try isDetached(item, "mutableVersion")
        let type = Self.backing(of: item)?.type ?? ItemType(of: item)
        guard type.itemClass is any MutableDataStoreItem.Type else {
            throw .readOnlyClass(.itemNotMutable, type.key, in: "mutableVersion")
        }
        if try state.type(of: type) != nil { try know(type) }
        // The item remains deleted, although another item may have its id now.
        if Self.backing(of: item)?.isDeleted(in: self) == true { return nil }
        let live = try self.item(type, item.uniqueToken)
        if live == nil, isDetached { throw .itemInNoStore(item, in: "mutableVersion") }
        return live as? any MutableDataStoreItem
    }

    /// Ensures that the store knows the type.
    private func know(_ type: ItemType, _ operation: String) throws(DataStoreError) {
        try know(type)
        if state.type(type.key) == nil { throw .undeclaredType(type.key, in: operation) }
    }

    /// Declares classes again when they are next used, because something was removed from their types.
    func forgetDeclarations() { known = [] }

    /// Declares a class, once in the block.
    func know(_ type: ItemType) throws(DataStoreError) {
        guard let schema = type.schema, !known.contains(ObjectIdentifier(schema)) else { return }
        try declare(schema, isOfClass: true)
        known.insert(ObjectIdentifier(schema))
    }

    /// Counts the bytes of a value that replaces a counted one.
    ///
    /// Throws if the block would exceed its limit.
    func count(
        _ bytes: Int, inPlaceOf earlier: Int, attribute: String, of itemType: String
    ) throws(DataStoreError) {
        let limit = context.limits.writeBlockBytes
        guard bytes <= earlier || writtenBytes + bytes - earlier <= limit else {
            throw .blockTooLarge(limit: limit, itemType: itemType, attribute: attribute)
        }
        writtenBytes += bytes - earlier
    }

    // MARK: The store of an item

    private static func backing(of item: any DataStoreItem) -> ReferenceBacking? {
        item.backing.storeBacking as? ReferenceBacking
    }

    /// Whether an item is in no store, and so represents the stored item with its id.
    ///
    /// Throws for an item of another store.
    private func isDetached(
        _ item: any DataStoreItem, _ operation: String
    ) throws(DataStoreError) -> Bool {
        if let backing = Self.backing(of: item) {
            guard backing.family == context.family else {
                throw .itemOfAnotherStore(item, in: operation)
            }
            return false
        }
        return try Self.detachedBacking(of: item, operation) != nil
    }

    /// The backing of an item that is in no store; `nil` for an item of this kind of store.
    private static func detachedBacking(
        of item: any DataStoreItem, _ operation: String
    ) throws(DataStoreError) -> DictionaryBacking? {
        if backing(of: item) != nil { return nil }
        guard let detached = item.backing as? DictionaryBacking,
            detached.storeBacking === detached
        else { throw .itemOfAnotherStore(item, in: operation) }
        return detached
    }
}
