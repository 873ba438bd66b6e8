package import JustPersist

/// Everything that a store holds at one moment: a list of rows, and what is known of their types.
///
/// A value: a block works on a copy, and a snapshot is one.
package struct ReferenceState: Sendable {
    /// The items in the order of their creation, which is that of their ids.
    package private(set) var rows: [ReferenceRow] = []
    /// The types in the order in which they came.
    package private(set) var types: [ReferenceType] = []
    /// The attributes that were given another name, in the order in which they were.
    package private(set) var renames: [ReferenceRename] = []

    /// An empty store.
    package init() {}

    /// The types alone.
    var withoutRows: ReferenceState {
        var state = ReferenceState()
        state.types = types
        return state
    }

    /// What is known of a type; `nil` if the store has never seen it.
    package func type(_ itemType: String) -> ReferenceType? {
        types.first { $0.key == itemType }
    }

    /// The item with that key.
    package func row(_ key: ReferenceKey) -> ReferenceRow? {
        let place = place(of: key)
        return place < rows.count && rows[place].key == key ? rows[place] : nil
    }

    /// Puts an item in its place, over the one with its key if there is one.
    package mutating func put(_ row: ReferenceRow) {
        for (name, value) in row.values { note(value, ofAttribute: name, of: row.key.itemType) }
        let place = place(of: row.key)
        if place < rows.count, rows[place].key == row.key {
            rows[place] = row
        } else {
            rows.insert(row, at: place)
        }
    }

    /// Sets one attribute of an item that is there.
    package mutating func set(
        _ value: DataStoreValue, ofAttribute name: String, of key: ReferenceKey
    ) {
        let place = place(of: key)
        guard place < rows.count, rows[place].key == key else { return }
        note(value, ofAttribute: name, of: key.itemType)
        rows[place].values[name] = value
    }

    /// Takes an item out, and tells whether it was there.
    package mutating func remove(_ key: ReferenceKey) -> Bool {
        let place = place(of: key)
        guard place < rows.count, rows[place].key == key else { return false }
        rows.remove(at: place)
        return true
    }

    /// Takes all items of a type out.
    package mutating func removeAll(_ itemType: String) {
        rows.removeAll { $0.key.itemType == itemType }
    }

    /// Puts a type in the place of the one with its key, or behind the others.
    package mutating func put(_ type: ReferenceType) {
        if let place = types.firstIndex(where: { $0.key == type.key }) {
            types[place] = type
        } else {
            types.append(type)
        }
    }

    /// Gives an attribute another name, in its type and in all rows.
    package mutating func rename(_ rename: ReferenceRename) {
        guard let place = types.firstIndex(where: { $0.key == rename.itemType }) else { return }
        types[place].rename(rename.old, to: rename.new)
        for index in rows.indices where rows[index].key.itemType == rename.itemType {
            rows[index].values[rename.new] = rows[index].values.removeValue(forKey: rename.old)
        }
        renames.append(rename)
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
    /// Where the element with that key stands, or would stand, in a list in the order of keys.
    func place(of key: ReferenceKey, by keyOf: (Element) -> ReferenceKey) -> Int {
        // Mostly at the end, because ids ascend.
        guard let last, key <= keyOf(last) else { return count }
        var (lower, upper) = (0, count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if keyOf(self[middle]) < key { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }
}

/// One item as a store holds it.
package struct ReferenceRow: Sendable {
    /// Which item it is.
    package let key: ReferenceKey
    /// The values that were set, null among them, by attribute.
    package var values: [String: DataStoreValue]

    /// An item with values.
    package init(_ key: ReferenceKey, values: [String: DataStoreValue] = [:]) {
        self.key = key
        self.values = values
    }

    /// The value of an attribute, null if there is none.
    package subscript(attribute: String) -> DataStoreValue { values[attribute] ?? .null }
}

/// What tells an item from all others in a store: two types may each have one with the same id.
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

/// An attribute's change of name.
package struct ReferenceRename: Sendable {
    package let itemType: String
    package let old: String
    package let new: String
}
