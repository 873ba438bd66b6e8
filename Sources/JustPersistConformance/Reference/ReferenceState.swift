package import JustPersist

/// A type or an attribute that was dropped.
enum ReferenceDrop: Sendable {
    case type(String)
    case attribute(of: String, String)
}

/// The contents of a store at one moment: a list of rows, and their types.
///
/// It is a value: a block uses a copy, and a snapshot is a copy.
package struct ReferenceState: Sendable {
    /// The items in the order of their creation, which is that of their ids.
    package private(set) var rows: [ReferenceRow] = []
    /// The types in the order in which they were added.
    package private(set) var types: [ReferenceType] = []
    /// The renamings of types and attributes, in order.
    package private(set) var renames: [ReferenceRename] = []
    /// The types and attributes that were dropped, in order.
    var drops: [ReferenceDrop] = []
    /// Whether a step of a schema plan has changed a part of the store, and is not complete.
    var hasUnfinishedStep = false
    /// The current keys of types, by their former keys.
    private var presentKeys: [String: String] = [:]

    /// An empty store.
    package init() {}

    /// The state with its types, and without rows.
    var withoutRows: ReferenceState {
        var state = ReferenceState()
        state.types = types
        state.presentKeys = presentKeys
        return state
    }

    /// The type that has or had a key; `nil` if the store has never seen the type.
    package func type(_ itemType: String) -> ReferenceType? {
        let key = presentKey(itemType)
        return types.first { $0.key == key }
    }

    /// The type of an item class; `nil` if the store has never seen it.
    ///
    /// Throws if there are items under two of its keys.
    package func type(of type: ItemType) throws(DataStoreError) -> ReferenceType? {
        let candidates = candidates(type)
        if candidates.count < 2 { return candidates.first }
        let holders = candidates.filter { known in
            rows.contains { $0.key.itemType == known.key }
        }
        if holders.count < 2 { return holders.first ?? candidates.first }
        throw DataStoreError(
            .conflictingTypes, in: "declare",
            """
            “\(type.key)” was renamed, and there are items under \
            \(holders.map { "“\($0.key)”" }.joined(separator: " and ")). Nothing was changed. Move the items that \
            count to one of these types, and delete those of the other.
            """, itemType: type.key)
    }

    /// The types that an item class may mean: the types with its key or its former keys.
    ///
    /// A type's current key takes precedence over its former keys, and so does the class's own key.
    func candidates(_ type: ItemType) -> [ReferenceType] {
        let formerKeys = type.schema?.formerTypeKeys ?? []
        if formerKeys.isEmpty { return self.type(type.key).map { [$0] } ?? [] }
        var found = ([type.key] + formerKeys).compactMap { key in types.first { $0.key == key } }
        if found.first?.key != type.key, let known = self.type(type.key) { found.append(known) }
        if found.isEmpty { found = formerKeys.compactMap { self.type($0) } }
        var keys: Set<String> = []
        return found.filter { keys.insert($0.key).inserted }
    }

    /// The current key of the type that has or had a key.
    package func presentKey(_ itemType: String) -> String { presentKeys[itemType] ?? itemType }

    /// An item's key with the current key of its type.
    package func presentKey(_ key: ReferenceKey) -> ReferenceKey {
        presentKeys.isEmpty ? key : ReferenceKey(presentKey(key.itemType), key.id)
    }

    /// A value whose references have the current keys of their types.
    func presented(_ value: DataStoreValue) -> DataStoreValue {
        if presentKeys.isEmpty { return value }
        switch value {
        case .reference(let reference):
            return .reference(
                ItemReference(itemTypeKey: presentKey(reference.itemTypeKey), id: reference.id))
        case .array(let values): return .array(values.map(presented))
        case .dictionary(let entries): return .dictionary(entries.mapValues(presented))
        default: return value
        }
    }

    /// The item with that key.
    package func row(_ key: ReferenceKey) -> ReferenceRow? {
        let key = presentKey(key)
        let place = place(of: key)
        return place < rows.count && rows[place].key == key ? rows[place] : nil
    }

    /// Adds an item at its place, or replaces the item with its key.
    package mutating func put(_ row: ReferenceRow) {
        let row = ReferenceRow(presentKey(row.key), values: row.values)
        for (name, value) in row.values { note(value, ofAttribute: name, of: row.key.itemType) }
        let place = place(of: row.key)
        if place < rows.count, rows[place].key == row.key {
            rows[place] = row
        } else {
            rows.insert(row, at: place)
        }
    }

    /// Sets one attribute of an existing item.
    package mutating func set(
        _ value: DataStoreValue, ofAttribute name: String, of key: ReferenceKey
    ) {
        let key = presentKey(key)
        let place = place(of: key)
        guard place < rows.count, rows[place].key == key else { return }
        note(value, ofAttribute: name, of: key.itemType)
        rows[place].values[name] = value
    }

    /// Removes an item, and returns whether it existed.
    package mutating func remove(_ key: ReferenceKey) -> Bool {
        let key = presentKey(key)
        let place = place(of: key)
        guard place < rows.count, rows[place].key == key else { return false }
        rows.remove(at: place)
        return true
    }

    /// Removes an item that was just added, and restores the types.
    ///
    /// - Parameter types: The types before the item was added.
    mutating func takeBack(_ key: ReferenceKey, _ types: [ReferenceType]) {
        _ = remove(key)
        self.types = types
    }

    /// Removes all items of a type.
    package mutating func removeAll(_ itemType: String) {
        let itemType = presentKey(itemType)
        rows.removeAll { $0.key.itemType == itemType }
    }

    /// Replaces the type with the key of `type`, or appends the type.
    ///
    /// Types with its former keys are removed, and their items become items of `type`.
    package mutating func put(_ type: ReferenceType) {
        if let place = types.firstIndex(where: { $0.key == type.key }) {
            types[place] = type
        } else {
            types.append(type)
        }
        presentKeys[type.key] = nil
        if type.formerKeys.isEmpty { return }
        types.removeAll { type.formerKeys.contains($0.key) }
        for key in type.formerKeys { presentKeys[key] = type.key }
        guard rows.contains(where: { type.formerKeys.contains($0.key.itemType) }) else { return }
        rows = rows.map { ReferenceRow(presentKey($0.key), values: $0.values) }
            .sorted { $0.key < $1.key }
    }

    /// Removes an attribute without values, and adds its names to another attribute.
    mutating func merge(_ other: String, into name: String, ofType itemType: String) {
        guard var type = type(itemType) else { return }
        type.remove(other, inFavourOf: name)
        put(type)
        // An item may have null.
        for index in rows.indices where rows[index].key.itemType == type.key {
            rows[index].values[other] = nil
        }
    }

    /// Removes an attribute with its values, and returns whether it existed.
    mutating func dropAttribute(_ name: String, ofType itemType: String) -> Bool {
        guard var type = type(itemType), type.has(name) else { return false }
        type.drop(name)
        put(type)
        drops.append(.attribute(of: type.key, name))
        for index in rows.indices where rows[index].key.itemType == type.key {
            rows[index].values[name] = nil
        }
        return true
    }

    /// Removes the declaration of a relationship, and returns whether it existed.
    mutating func dropRelationship(_ name: String, ofType itemType: String) -> Bool {
        guard var type = type(itemType), let known = type.relationship(name) else { return false }
        type.keepRelationships(type.relationships.filter { $0 != known })
        put(type)
        return true
    }

    /// Replaces the recorded default of an attribute, and returns whether it exists.
    mutating func setDefault(
        _ value: DataStoreValue?, ofAttribute name: String, ofType itemType: String
    ) -> Bool {
        guard var type = type(itemType), type.has(name) else { return false }
        type.setDefault(value, of: name)
        put(type)
        return true
    }

    /// Removes a type with its items, and returns whether it existed.
    mutating func dropType(_ itemType: String) -> Bool {
        guard let type = type(itemType), type.key == itemType else { return false }
        removeAll(type.key)
        types.removeAll { $0.key == type.key }
        for (key, present) in presentKeys where present == type.key { presentKeys[key] = nil }
        drops.append(.type(type.key))
        return true
    }

    /// Renames a type or an attribute, in all rows.
    package mutating func rename(_ rename: ReferenceRename) {
        switch rename {
        case .type(let old, let new): renameType(old, to: new)
        case .attribute(let itemType, let old, let new):
            renameAttribute(of: itemType, old, to: new)
        }
        renames.append(rename)
    }

    /// Renames a type.
    ///
    /// If a type has the new key already, the renamed type is merged into it.
    private mutating func renameType(_ old: String, to new: String) {
        guard let place = types.firstIndex(where: { $0.key == old }) else { return }
        var type = types[place]
        if let other = types.first(where: { $0.key == new }) {
            let formerKeys = [old] + type.formerKeys
            type = other
            for key in formerKeys { type.addFormerKey(key) }
        } else {
            type.rename(to: new)
            types[place] = type
        }
        put(type)
    }

    private mutating func renameAttribute(
        of itemType: String, _ old: String, to new: String
    ) {
        let itemType = presentKey(itemType)
        guard let place = types.firstIndex(where: { $0.key == itemType }) else { return }
        types[place].rename(old, to: new)
        for index in rows.indices where rows[index].key.itemType == itemType {
            rows[index].values[new] = rows[index].values.removeValue(forKey: old)
        }
    }

    private mutating func note(
        _ value: DataStoreValue, ofAttribute name: String, of itemType: String
    ) {
        guard let place = types.firstIndex(where: { $0.key == itemType }) else { return }
        types[place].note(value.kind, ofAttribute: name)
    }

    private func place(of key: ReferenceKey) -> Int { rows.place(of: key, by: \.key) }
}

extension Array {
    /// The index of the element with that key in a list that is sorted by keys, or the index at which it belongs.
    func place(of key: ReferenceKey, by keyOf: (Element) -> ReferenceKey) -> Int {
        // Usually the index is at the end, because ids ascend.
        guard let last, key <= keyOf(last) else { return count }
        var (lower, upper) = (0, count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if keyOf(self[middle]) < key { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }
}

/// One stored item.
package struct ReferenceRow: Sendable {
    /// Identifies the item.
    package let key: ReferenceKey
    /// The values that were set, including null, by attribute.
    package var values: [String: DataStoreValue]

    /// An item with values.
    package init(_ key: ReferenceKey, values: [String: DataStoreValue] = [:]) {
        self.key = key
        self.values = values
    }

    /// The value of an attribute, null if there is none.
    package subscript(attribute: String) -> DataStoreValue { values[attribute] ?? .null }
}

/// Identifies an item in a store: two types may each have one with the same id.
package struct ReferenceKey: Sendable, Hashable, Comparable {
    /// The key of the item's type.
    package let itemType: String
    /// The item's id.
    package let id: ItemID

    /// The key of an item.
    package init(_ itemType: String, _ id: ItemID) {
        self.itemType = itemType
        self.id = id
    }

    /// Orders by id, the order of creation.
    package static func < (lhs: ReferenceKey, rhs: ReferenceKey) -> Bool {
        lhs.id == rhs.id ? lhs.itemType < rhs.itemType : lhs.id < rhs.id
    }
}

/// A change of name.
package enum ReferenceRename: Sendable {
    /// A new key of a type.
    case type(String, to: String)
    /// A new name of an attribute of a type.
    case attribute(of: String, String, to: String)
}
