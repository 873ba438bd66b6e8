package import JustPersist

/// The changes of a child store since its last merge: a list that applies to any state of its parent.
package struct ReferenceOverlay: Sendable {
    /// The changed items, by key.
    package private(set) var changes: [Change] = []
    /// The types that the child's blocks knew.
    package private(set) var types: [ReferenceType] = []
    /// The types and attributes that the child renamed.
    package private(set) var renames: [ReferenceRename] = []
    /// The number of the parent's drops that these changes know.
    private var knownDrops = 0

    /// The child's change of one item.
    package struct Change: Sendable {
        /// The item.
        package fileprivate(set) var key: ReferenceKey
        /// Whether the parent had the item when the child first changed it.
        package let wasThere: Bool
        /// Whether the child has the item now.
        package var isThere: Bool
        /// The attributes that the child changed; all attributes if it deleted the item.
        package var attributes: [String: Attribute]
    }

    /// The child's change of one attribute.
    package struct Attribute: Sendable {
        /// The parent's value when the child first changed the attribute.
        package let base: DataStoreValue
        /// The child's value.
        package var mine: DataStoreValue
    }

    /// No changes.
    package init() {}

    /// The parent's state with these changes applied.
    ///
    /// An item that the parent deleted stays deleted, unless the child inserted it.
    package func applied(to parent: ReferenceState) -> ReferenceState {
        without(parent.drops).put(into: parent)
    }

    /// These changes, except those of attributes that the parent has dropped since, and of items of dropped types.
    func without(_ drops: [ReferenceDrop]) -> ReferenceOverlay {
        var overlay = self
        overlay.forget(drops)
        return overlay
    }

    private mutating func forget(_ drops: [ReferenceDrop]) {
        for drop in drops.dropFirst(knownDrops) {
            switch drop {
            case .type(let key):
                types.removeAll { $0.key == key }
                for place in changes.indices where changes[place].key.itemType == key {
                    changes[place].attributes = [:]
                }
            case .attribute(let key, let name):
                for place in types.indices where types[place].key == key { types[place].drop(name) }
                for place in changes.indices where changes[place].key.itemType == key {
                    changes[place].attributes[name] = nil
                }
            }
        }
        knownDrops = drops.count
    }

    private func put(into parent: ReferenceState) -> ReferenceState {
        var state = parent
        addTypes(to: &state)
        for change in changes {
            switch (state.row(change.key), change.isThere) {
            case (_, false): _ = state.remove(change.key)
            case (nil, true):
                if change.wasThere || state.type(change.key.itemType) == nil { continue }
                state.put(ReferenceRow(change.key, values: change.attributes.mapValues(\.mine)))
            case (.some, true):
                for (name, attribute) in change.attributes {
                    state.set(attribute.mine, ofAttribute: name, of: change.key)
                }
            }
        }
        return state
    }

    /// Adds the child's types and names to a state.
    package func addTypes(to state: inout ReferenceState) {
        for rename in renames { state.rename(rename) }
        for type in types { state.add(type) }
    }

    /// Notes the changes of a block of the child: the difference between the states before and after the block.
    ///
    /// The parent's state is the state when the block began, or a later one.
    package mutating func note(
        from before: ReferenceState, to after: ReferenceState, over parent: ReferenceState?
    ) {
        forget(after.drops)
        var before = before
        for rename in after.renames.dropFirst(before.renames.count) {
            before.rename(rename)
            self.rename(rename)
        }
        types = after.types
        for row in after.rows {
            if let old = before.row(row.key) {
                noteUpdate(from: old, to: row)
            } else {
                noteInsert(of: row, over: parent?.row(row.key))
            }
        }
        for row in before.rows where after.row(row.key) == nil {
            noteDelete(of: row, over: parent?.row(row.key))
        }
        changes.removeAll { !$0.wasThere && !$0.isThere }
    }

    private mutating func noteUpdate(from old: ReferenceRow, to row: ReferenceRow) {
        let changed = Set(old.values.keys).union(row.values.keys).filter {
            old.values[$0] != row.values[$0]
        }
        if changed.isEmpty { return }
        change(row.key, wasThere: true) { change in
            for name in changed { change.set(row[name], ofAttribute: name, over: old[name]) }
        }
    }

    private mutating func noteInsert(of row: ReferenceRow, over theirs: ReferenceRow?) {
        // An item that the parent does not have is new, even if an item with its id existed before. So is an item that
        // the child had not deleted: the parent created its own while the block ran, and the two are in conflict.
        let theirs = changes.contains { $0.key == row.key } ? theirs : nil
        if theirs == nil { changes.removeAll { $0.key == row.key } }
        change(row.key, wasThere: false) { change in
            change.isThere = true
            let replaced = Set(change.attributes.keys).union(
                theirs.map { Set($0.values.keys) } ?? [])
            for name in replaced.union(row.values.keys) {
                change.set(row[name], ofAttribute: name, over: theirs?[name] ?? .null)
            }
        }
    }

    private mutating func noteDelete(of row: ReferenceRow, over theirs: ReferenceRow?) {
        var row = row
        if let theirs, changes.contains(where: { $0.key == row.key && !$0.wasThere }) {
            // Both stores created the item: the child deletes the parent's item.
            changes.removeAll { $0.key == row.key }
            row = theirs
        }
        change(row.key, wasThere: true) { change in
            change.isThere = false
            for name in Set(change.attributes.keys).union(row.values.keys) {
                change.set(.null, ofAttribute: name, over: row[name])
            }
        }
    }

    private mutating func change(
        _ key: ReferenceKey, wasThere: Bool, _ body: (inout Change) -> Void
    ) {
        let place = changes.place(of: key, by: \.key)
        if place == changes.endIndex || changes[place].key != key {
            changes.insert(
                Change(key: key, wasThere: wasThere, isThere: true, attributes: [:]), at: place)
        }
        body(&changes[place])
    }

    private mutating func rename(_ rename: ReferenceRename) {
        renames.append(rename)
        switch rename {
        case .type(let old, let new):
            for place in changes.indices where changes[place].key.itemType == old {
                changes[place].key = ReferenceKey(new, changes[place].key.id)
            }
            changes.sort { $0.key < $1.key }
        case .attribute(let itemType, let old, let new):
            for place in changes.indices where changes[place].key.itemType == itemType {
                let attribute = changes[place].attributes.removeValue(forKey: old)
                changes[place].attributes[new] = attribute
            }
        }
    }
}

extension ReferenceOverlay.Change {
    /// Notes a new value.
    ///
    /// The value before is the parent's, unless the attribute was already changed.
    fileprivate mutating func set(
        _ value: DataStoreValue, ofAttribute name: String, over before: DataStoreValue
    ) {
        let base = attributes[name]?.base ?? before
        attributes[name] = ReferenceOverlay.Attribute(base: base, mine: value)
    }
}
