/// The changes of a store that an observer wants.
public enum ChangeScope: Sendable {
    /// The changes of all items.
    case everything
    /// The changes of the items of some types.
    case types([ItemType])
    /// The changes of one item.
    case item(ItemType, ItemID)
}

/// A scope in the form that is compared with each commit.
struct ChangeFilter: Sendable {
    /// The keys that the types have or had; `nil` for all types.
    private let keys: [String]?
    /// The item; `nil` for all items.
    private let id: ItemID?

    init(_ scope: ChangeScope) {
        switch scope {
        case .everything: (keys, id) = (nil, nil)
        case .types(let types): (keys, id) = (types.flatMap(Self.keys), nil)
        case .item(let type, let item): (keys, id) = (Self.keys(type), item)
        }
    }

    private static func keys(_ type: ItemType) -> [String] {
        [type.key] + (type.schema?.formerTypeKeys ?? [])
    }

    /// Whether the changes of a type are wanted.
    func includes(_ type: ChangedType) -> Bool {
        // A type that was renamed since has the wanted key as a former one.
        keys?.contains { type.keys.contains($0) } ?? true
    }

    /// Whether any of the changes is wanted.
    func concerns(_ segment: ChangeSegment) -> Bool {
        if !segment.isComplete { return true }
        return segment.changes.contains { changes in
            guard includes(changes.type) else { return false }
            guard let id, changes.isComplete else { return true }
            return changes.events.contains { $0.id == id }
        }
    }

    /// The wanted part of the changes of a type.
    func wanted(_ changes: ChangedItems) -> ChangedItems {
        guard let id, changes.isComplete else { return changes }
        var wanted = changes
        wanted.events.removeAll { $0.id != id }
        return wanted
    }
}
