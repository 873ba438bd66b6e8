/// What happened to one item.
package struct ItemEvent: Sendable, Hashable {
    /// What it was.
    package enum Kind: UInt8, Sendable {
        case inserted = 1
        case updated = 2
        case deleted = 3
        /// Both: it was created and then deleted. Only of several events that are told as one.
        case passed = 4
    }

    /// The item.
    package let id: ItemID
    /// The attributes that were set: a bit for each of the first 63, and one for all others.
    package let attributes: UInt64
    /// What it was.
    package let kind: Kind

    /// Something that happened to an item.
    @inlinable
    package init(_ kind: Kind, _ id: ItemID, attributes: UInt64 = 0) {
        self.id = id
        self.attributes = attributes
        self.kind = kind
    }

    /// Both as one.
    func followed(by later: ItemEvent) -> ItemEvent {
        switch (kind, later.kind) {
        case (.inserted, .deleted), (.inserted, .passed), (.passed, .deleted), (.passed, .passed):
            ItemEvent(.passed, id)
        case (.inserted, _), (.passed, _): ItemEvent(.inserted, id)
        case (_, .deleted), (_, .passed): ItemEvent(.deleted, id)
        // It was there before and is there now, with whatever values.
        case (_, .inserted), (.deleted, .updated): ItemEvent(.updated, id, attributes: .max)
        case (.updated, .updated):
            ItemEvent(.updated, id, attributes: attributes | later.attributes)
        }
    }
}

/// A type as it is named to those who hear of its changes.
package final class ChangedType: Sendable {
    /// Stands for the type among the types of its store.
    package let number: UInt32
    /// The keys of the type, the present one first.
    package let keys: [String]
    /// The names of the attributes; empty for one that has none any more.
    private let names: Locked<[String]>

    /// A type with the attributes of which it is known by now.
    package init(number: UInt32, keys: [String], attributes: [String]) {
        self.number = number
        self.keys = keys
        names = Locked(attributes)
    }

    /// The same type under other keys, or a new one.
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
            return found
        }
    }

    /// The bits of attributes, which are numbered as they come.
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

/// What happened to the items of a type.
package struct ChangedItems: Sendable {
    /// The type.
    package private(set) var type: ChangedType
    /// What happened, in order; several events may be of one item.
    package internal(set) var events: [ItemEvent]
    /// Whether the events are all there are.
    package private(set) var isComplete: Bool

    /// What happened to items; no more is known than that if `events` is `nil`.
    package init(_ type: ChangedType, _ events: [ItemEvent]?) {
        self.type = type
        self.events = events ?? []
        isComplete = events != nil
    }

    /// Forgets which items it was.
    mutating func forget() {
        events = []
        isComplete = false
    }

    /// Adds what happened afterwards, to the same type as it is known then.
    mutating func append(_ later: ChangedItems) {
        type = later.type
        guard isComplete, later.isComplete else { return forget() }
        events.append(contentsOf: later.events)
    }

    /// Leaves one event for each item that is concerned, in the order of the ids.
    mutating func coalesce() { events = events.coalesced() }

    /// Tells items that were created and deleted as deleted, or not at all.
    mutating func settlePassed(asDeleted: Bool) {
        guard events.contains(where: { $0.kind == .passed }) else { return }
        events = events.compactMap { event in
            if event.kind != .passed { return event }
            return asDeleted ? ItemEvent(.deleted, event.id) : nil
        }
    }

    /// The same as it is told, of coalesced events.
    func told(at token: ChangeToken) -> ItemChanges {
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
    /// One event for each item that is concerned, in the order of the ids.
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

    /// Whether no item comes twice, and all are in order.
    private var isAscending: Bool {
        guard var last = first?.id else { return true }
        for event in dropFirst() {
            if event.id <= last { return false }
            last = event.id
        }
        return true
    }
}
