/// What a commit changes, for authors of stores: see ``ChangeFeed``.
public struct CommittedChanges: Sendable {
    private var byType: [String: Changes] = [:]
    private var isComplete = true

    private struct Changes: Sendable {
        var events: [Event]? = []
    }

    private struct Event: Sendable {
        let kind: ItemEvent.Kind
        let id: ItemID
        let attributes: Set<String>
    }

    /// No changes.
    public init() {}

    /// Changes that are not known: of any items.
    public static var unknown: CommittedChanges {
        var changes = CommittedChanges()
        changes.isComplete = false
        return changes
    }

    /// Notes an item that is new.
    public mutating func insert(_ id: ItemID, ofType itemTypeKey: String) {
        note(.inserted, id, itemTypeKey)
    }

    /// Notes an item of which attributes were set.
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
        byType[itemTypeKey] = Changes(events: nil)
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
                if let known = types[key] { return known }
                let new = ChangedType(
                    number: UInt32(types.count), keys: [key], attributes: [])
                types[key] = new
                return new
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
