/// A change of one item.
package struct ItemEvent: Sendable, Hashable {
    /// The kind of a change.
    package enum Kind: UInt8, Sendable {
        case inserted = 1
        case updated = 2
        case deleted = 3
        /// Created and then deleted: only for several events that are joined.
        case passed = 4
    }

    /// The item.
    package let id: ItemID
    /// The attributes that were set: a bit for each of the first 63, and one for all others.
    package let attributes: UInt64
    /// The kind of the change.
    package let kind: Kind

    /// A change of an item.
    @inlinable
    package init(_ kind: Kind, _ id: ItemID, attributes: UInt64 = 0) {
        self.id = id
        self.attributes = attributes
        self.kind = kind
    }

    /// Both events as one.
    func followed(by later: ItemEvent) -> ItemEvent {
        switch (kind, later.kind) {
        case (.inserted, .deleted), (.inserted, .passed), (.passed, .deleted), (.passed, .passed):
            ItemEvent(.passed, id)
        case (.inserted, _), (.passed, _): ItemEvent(.inserted, id)
        case (_, .deleted), (_, .passed): ItemEvent(.deleted, id)
        // The item existed before and exists now, and any of its values may differ.
        case (_, .inserted), (.deleted, .updated): ItemEvent(.updated, id, attributes: .max)
        case (.updated, .updated):
            ItemEvent(.updated, id, attributes: attributes | later.attributes)
        }
    }
}

/// A type, with the keys and attribute names that observers of its changes see.
package final class ChangedType: Sendable {
    /// The type's number within its store.
    package let number: UInt32
    /// The keys of the type, the present one first.
    package let keys: [String]
    /// The names of the attributes; empty for an attribute that was removed.
    private let names: Locked<[String]>
    /// The names of the relationships to many, each with its bit.
    private let relationships: [(bit: UInt64, name: String)]

    /// A type with its known attributes and relationships.
    package init(
        number: UInt32, keys: [String], attributes: [String],
        relationships: [RelationshipSchema] = []
    ) {
        self.number = number
        self.keys = keys
        names = Locked(attributes)
        self.relationships = relationships.compactMap { relationship in
            relationship.number.map { (Self.bit(ofRelationship: $0), relationship.name) }
        }
    }

    /// The bit of a relationship to many: the bits below the last one are used downwards, and attributes use them upwards.
    ///
    /// Where both meet, a change of one names the other, too.
    package static func bit(ofRelationship number: Int) -> UInt64 { 1 << UInt64(62 - number % 62) }

    /// The known type under other keys, or a new one.
    convenience init(renaming known: ChangedType?, to keys: [String], number: UInt32) {
        self.init(
            number: known?.number ?? number, keys: keys,
            attributes: known?.names.withLock { $0 } ?? [])
    }

    /// The names of the attributes with these bits.
    func names(of bits: UInt64) -> Set<String> {
        names.withLock { names in
            var found: Set<String> = []
            for (place, name) in names.enumerated()
            where bits & 1 << UInt64(min(place, 63)) != 0 && !name.isEmpty {
                found.insert(name)
            }
            for relationship in relationships where bits & relationship.bit != 0 {
                found.insert(relationship.name)
            }
            return found
        }
    }

    /// The bits of attributes, which are numbered in the order of their first appearance.
    func bits(of attributes: some Sequence<String>) -> UInt64 {
        names.withLock { names in
            var bits: UInt64 = 0
            for name in attributes {
                let known = names.firstIndex(of: name)
                if known == nil { names.append(name) }
                bits |= 1 << UInt64(min(known ?? names.count - 1, 63))
            }
            return bits
        }
    }
}

/// The changes of the items of a type.
package struct ChangedItems: Sendable {
    /// The type.
    package private(set) var type: ChangedType
    /// The changes in order; an item may have several.
    package internal(set) var events: [ItemEvent]
    /// Whether all changes are known.
    package private(set) var isComplete: Bool

    /// Changes of items; with `nil`, it is only known that items changed.
    package init(_ type: ChangedType, _ events: [ItemEvent]?) {
        self.type = type
        self.events = events ?? []
        isComplete = events != nil
    }

    /// Forgets the items.
    mutating func forget() {
        events = []
        isComplete = false
    }

    /// Adds later changes of the type.
    mutating func append(_ later: ChangedItems) {
        type = later.type
        guard isComplete, later.isComplete else { return forget() }
        events.append(contentsOf: later.events)
    }

    /// Leaves one event for each item, in the order of the ids.
    mutating func coalesce() { events = events.coalesced() }

    /// Reports items that were created and deleted as deleted, or leaves them out.
    mutating func settlePassed(asDeleted: Bool) {
        guard events.contains(where: { $0.kind == .passed }) else { return }
        events = events.compactMap { event in
            if event.kind != .passed { return event }
            return asDeleted ? ItemEvent(.deleted, event.id) : nil
        }
    }

    /// The coalesced events as observers receive them.
    func itemChanges(at token: ChangeToken) -> ItemChanges {
        func ids(_ kind: ItemEvent.Kind) -> [ItemID] {
            events.compactMap { $0.kind == kind ? $0.id : nil }
        }
        return ItemChanges(
            itemTypeKey: type.keys.first ?? "", inserted: ids(.inserted),
            updated: events.compactMap { $0.kind == .updated ? ItemUpdate($0, of: type) : nil },
            deleted: ids(.deleted), isComplete: isComplete, token: token)
    }
}

extension [ItemEvent] {
    /// One event for each item, in the order of the ids.
    package func coalesced() -> [ItemEvent] {
        if isAscending { return self }
        var places: [ItemID: Int] = Dictionary(minimumCapacity: count)
        var merged: [ItemEvent] = []
        merged.reserveCapacity(count)
        for event in self {
            if let place = places[event.id] {
                merged[place] = merged[place].followed(by: event)
            } else {
                places[event.id] = merged.count
                merged.append(event)
            }
        }
        return merged.sorted { $0.id < $1.id }
    }

    /// Whether the ids ascend without repetition.
    private var isAscending: Bool {
        guard var last = first?.id else { return true }
        for event in dropFirst() {
            if event.id <= last { return false }
            last = event.id
        }
        return true
    }
}
