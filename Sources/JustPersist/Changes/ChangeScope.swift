/// The changes of a store that an observer wants.
public enum ChangeScope: Sendable {
    /// The changes of all items.
    case everything
    /// The changes of the items of some types.
    case types([ItemType])
    /// The changes of one item.
    case item(ItemType, ItemID)
    /// The changes of another scope, with every deletion: a set also lists an item as deleted if one commit created it
    /// and a later one deleted it.
    ///
    /// For an observer whose state may be later than its token.
    indirect case withEveryDeletion(in: ChangeScope)
}

/// A scope in the form that is compared with each commit.
struct ChangeFilter: Sendable {
    /// The keys that the types have or had; `nil` for all types.
    private let keys: [String]?
    /// The item; `nil` for all items.
    private let id: ItemID?
    /// Whether a set lists an item as deleted that was created and then deleted.
    private(set) var namesEveryDeletion = false

    init(_ scope: ChangeScope) {
        switch scope {
        case .everything: self.init(keys: nil, id: nil)
        case .types(let types): self.init(keys: types.flatMap(Self.keys), id: nil)
        case .item(let type, let item): self.init(keys: Self.keys(type), id: item)
        case .withEveryDeletion(let inner):
            self.init(inner)
            namesEveryDeletion = true
        }
    }

    private init(keys: [String]?, id: ItemID?) {
        self.keys = keys
        self.id = id
    }

    private static func keys(_ type: ItemType) -> [String] {
        [type.key] + (type.schema?.formerTypeKeys ?? [])
    }

    /// Whether the changes of a type are wanted.
    func includes(_ type: ChangedType) -> Bool {
        // If the type was renamed meanwhile, the wanted key is one of its former keys.
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
