/// The changes of one commit of a store, or of several successive commits.
///
/// Several commits are reported as one difference. An item that was created and then changed counts as created; one
/// that was changed and then deleted, as deleted; one that was deleted and then inserted again, as changed in all
/// attributes. An item that was created and then deleted is not reported, unless every deletion is requested.
public struct ChangeSet: Sendable, Hashable {
    /// The changes of each type that has any, in the order of the types' keys.
    public let types: [ItemChanges]
    /// Whether ``types`` lists all changes.
    ///
    /// If not, any item of any type may have been created, changed or deleted: read your copy of the data again.
    public let isComplete: Bool
    /// The place after these changes.
    public let token: ChangeToken

    /// A set of changes, for authors of stores.
    public init(types: [ItemChanges], isComplete: Bool = true, token: ChangeToken) {
        self.types = types.sorted { $0.itemTypeKey < $1.itemTypeKey }
        self.isComplete = isComplete
        self.token = token
    }

    /// The changes of the type with that key; `nil` if none are known.
    public subscript(itemTypeKey: String) -> ItemChanges? {
        types.first { $0.itemTypeKey == itemTypeKey }
    }

    /// Whether nothing has changed.
    public var isEmpty: Bool { isComplete && types.allSatisfy(\.isEmpty) }
}

/// The changes of one commit, or of several successive commits, in the items of a type.
///
/// An item is in one of the lists at most. Each list is in the order of the items' creation.
public struct ItemChanges: Sendable, Hashable {
    /// The key of the type.
    public let itemTypeKey: String
    /// The items that exist now and did not before.
    public let inserted: [ItemID]
    /// The items that existed before and were changed.
    public let updated: [ItemUpdate]
    /// The items that existed before and do not now.
    public let deleted: [ItemID]
    /// Whether the lists contain all changes.
    ///
    /// If not, any item of the type may have been created, changed or deleted, and the lists are empty: read your copy
    /// of the items again.
    public let isComplete: Bool
    /// The place after these changes.
    public let token: ChangeToken

    /// Changes of a type, for authors of stores.
    public init(
        itemTypeKey: String, inserted: [ItemID] = [], updated: [ItemUpdate] = [],
        deleted: [ItemID] = [], isComplete: Bool = true, token: ChangeToken
    ) {
        self.itemTypeKey = itemTypeKey
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
        self.isComplete = isComplete
        self.token = token
    }

    /// Whether nothing has changed.
    public var isEmpty: Bool {
        isComplete && inserted.isEmpty && updated.isEmpty && deleted.isEmpty
    }
}

/// An item that was changed, with the attributes that were set and the relationships to many that changed.
public struct ItemUpdate: Sendable, Hashable, Identifiable {
    /// The id of the item.
    public let id: ItemID
    private let bits: UInt64
    private let type: ChangedType

    /// The names of the attributes that were set, and of the relationships to many that got or lost others, or were
    /// arranged in another order.
    ///
    /// An attribute that was set to its former value is among them. An item that was deleted and inserted again under
    /// its id has all attributes of its type here. If a type has more than 63 attributes and one from the 64th on was
    /// set, all attributes from the 64th on are named. If a type has more than 62 attributes and relationships to many
    /// together, a change of one may name another, too.
    public var attributes: Set<String> { type.names(of: bits) }

    init(_ event: ItemEvent, of type: ChangedType) {
        id = event.id
        bits = event.attributes
        self.type = type
    }

    /// A change of an item, for authors of stores.
    public init(id: ItemID, attributes: Set<String>) {
        self.id = id
        type = ChangedType(number: 0, keys: [], attributes: attributes.sorted())
        bits = .max
    }

    /// Whether both are of the same item, and name the same attributes.
    public static func == (lhs: ItemUpdate, rhs: ItemUpdate) -> Bool {
        lhs.id == rhs.id
            && (lhs.type === rhs.type && lhs.bits == rhs.bits || lhs.attributes == rhs.attributes)
    }

    /// Hashes the id.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension ItemUpdate: CustomStringConvertible {
    /// The id and the names.
    public var description: String {
        "\(id): \(attributes.sorted().joined(separator: ", "))"
    }
}
