/// The changes of a commit, for authors of stores: see ``ChangeFeed``.
public struct CommittedChanges: Sendable {
    private var byType: [String: Changes] = [:]
    private var isComplete = true

    private struct Changes: Sendable {
        var events: [Event]? = []
        var formerKeys: [String] = []
    }

    private struct Event: Sendable {
        let kind: ItemEvent.Kind
        let id: ItemID
        let attributes: Set<String>
    }

    /// No changes.
    public init() {}

    /// Unknown changes, of any items.
    public static var unknown: CommittedChanges {
        var changes = CommittedChanges()
        changes.isComplete = false
        return changes
    }

    /// Notes an item that is new.
    public mutating func insert(_ id: ItemID, ofType itemTypeKey: String) {
        note(.inserted, id, itemTypeKey)
    }

    /// Notes an item whose attributes were set.
    public mutating func update(
        _ id: ItemID, ofType itemTypeKey: String, attributes: Set<String>
    ) {
        note(.updated, id, itemTypeKey, attributes)
    }

    /// Notes an item that was deleted.
    public mutating func delete(_ id: ItemID, ofType itemTypeKey: String) {
        note(.deleted, id, itemTypeKey)
    }

    /// Notes that any items of a type may have been created, changed or deleted.
    public mutating func changeAll(ofType itemTypeKey: String) {
        byType[itemTypeKey, default: Changes()].events = nil
    }

    /// Notes the former keys of a type, under which it may be observed too.
    public mutating func setFormerKeys(_ keys: [String], ofType itemTypeKey: String) {
        byType[itemTypeKey, default: Changes()].formerKeys = keys
    }

    private mutating func note(
        _ kind: ItemEvent.Kind, _ id: ItemID, _ key: String, _ attributes: Set<String> = []
    ) {
        byType[key, default: Changes()].events?.append(
            Event(kind: kind, id: id, attributes: attributes))
    }

    /// The changes as a feed keeps them; `nil` if they are not known.
    func changes(_ types: Locked<[String: ChangedType]>) -> [ChangedItems]? {
        if !isComplete { return nil }
        return byType.sorted { $0.key < $1.key }.map { key, changes in
            let type = types.withLock { types in
                let keys = [key] + changes.formerKeys
                let known = keys.compactMap { types[$0] }.first
                if let known, known.keys == keys { return known }
                let type = ChangedType(renaming: known, to: keys, number: UInt32(types.count))
                types[key] = type
                return type
            }
            return ChangedItems(
                type,
                changes.events?.map { event in
                    ItemEvent(
                        event.kind, event.id, attributes: type.bits(of: event.attributes.sorted()))
                })
        }
    }
}
