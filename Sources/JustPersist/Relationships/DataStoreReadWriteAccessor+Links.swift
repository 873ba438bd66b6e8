/// The items that are links, and their order.
extension DataStoreReadWriteAccessor where Self: ~Copyable {
    /// The distance between the positions of two neighbours that were added at the end.
    private var step: Int64 { 1 << 32 }

    private func declared(_ type: LinkType) throws(DataStoreError) {
        if try knownLinks("relationship").notesDeclared(type.key) { try declare(type.schema) }
    }

    /// Adds a link, and returns false if it exists.
    @discardableResult
    func addLink(
        _ type: LinkType, from source: ItemReference, to target: ItemReference, at place: Int?,
        seenFromSource: Bool = true
    ) throws(DataStoreError) -> Bool {
        try declared(type)
        let id = LinkType.id(from: source.id, to: target.id)
        let isThere = try performFetchItem(ItemType(dynamic: type.key), id: id) != nil
        if isThere { return false }
        var positions: [(name: String, value: Int64)] = []
        for isSource in [true, false] {
            guard let name = type.names(isSource: isSource).position else { continue }
            let near = isSource ? source : target
            positions.append(
                (
                    name,
                    try position(
                        type, isSource, of: near, at: isSource == seenFromSource ? place : nil)
                ))
        }
        guard let link = try performCreate(ItemType(dynamic: type.key), id: id) else {
            return false
        }
        try link.backing.setValue(.reference(source), forAttribute: LinkType.source)
        try link.backing.setValue(.reference(target), forAttribute: LinkType.target)
        for position in positions {
            try link.backing.setValue(.int(position.value), forAttribute: position.name)
        }
        return true
    }

    /// Adds the link between two items of a relationship, and the reverse one if that is symmetric; returns false if the
    /// items are related.
    func addLinks(
        _ relation: Relation, of own: ItemReference, to other: ItemReference, at place: Int?
    ) throws(DataStoreError) -> Bool {
        guard case .links(let type, let isSource) = relation.storage else { return false }
        let (source, target) = relation.ends(own, other)
        guard try addLink(type, from: source, to: target, at: place, seenFromSource: isSource)
        else { return false }
        if relation.isSymmetric, own != other {
            try addLink(type, from: target, to: source, at: nil)
        }
        return true
    }

    /// Deletes the link between two items of a relationship, and the reverse one if that is symmetric; returns whether the
    /// items were related.
    @discardableResult
    func removeLinks(
        _ relation: Relation, of own: ItemReference, to other: ItemReference
    ) throws(DataStoreError) -> Bool {
        guard case .links(let type, _) = relation.storage else { return false }
        let (source, target) = relation.ends(own, other)
        guard try removeLink(type, from: source, to: target) else { return false }
        if relation.isSymmetric, own != other { try removeLink(type, from: target, to: source) }
        return true
    }

    /// Deletes a link, and returns whether it existed.
    @discardableResult
    func removeLink(
        _ type: LinkType, from source: ItemReference, to target: ItemReference
    ) throws(DataStoreError) -> Bool {
        let id = LinkType.id(from: source.id, to: target.id)
        guard let link = try performFetchItem(ItemType(dynamic: type.key), id: id) else {
            return false
        }
        return try performDelete(link)
    }

    /// The links of an item in the order of their positions, from a place on.
    private func links(
        _ type: LinkType, _ isSource: Bool, of near: ItemReference, from place: Int, limit: Int,
        ascending: Bool = true
    ) throws(DataStoreError) -> [any DataStoreItem] {
        let names = type.names(isSource: isSource)
        let request = DataStoreRequest(itemTypeKey: type.key)
        request.predicate = .reference(in: names.near, to: near)
        request.sortDescriptors = [
            DataStoreSortDescriptor(key: names.position ?? names.far, ascending: ascending)
        ]
        request.offset = place
        request.limit = limit
        return try performFetch(request)
    }

    private func position(
        in link: any DataStoreItem, _ name: String
    ) throws(DataStoreError) -> Int64 {
        guard case .int(let position) = try link.backing.value(forAttribute: name) else { return 0 }
        // A program may have written any number; so far from the ends, no sum of positions overflows.
        return Swift.min(Swift.max(position, -(1 << 61)), 1 << 61)
    }

    /// A free position at a place among the others of an item; at the end without a place.
    func position(
        _ type: LinkType, _ isSource: Bool, of near: ItemReference, at place: Int?
    ) throws(DataStoreError) -> Int64 {
        let name = type.names(isSource: isSource).position ?? ""
        func last() throws(DataStoreError) -> Int64 {
            let last = try links(type, isSource, of: near, from: 0, limit: 1, ascending: false)
                .first
            guard let last else { return 0 }
            return try position(in: last, name) + step
        }
        guard let place else { return try last() }
        guard place >= 0 else {
            throw DataStoreError(
                .invalidRequest, in: "relationship",
                "\(place) is no place in an order. Places count from 0.", itemType: near.itemTypeKey
            )
        }
        // Twice at most: there is room after the positions were spread.
        for _ in 0..<2 {
            let first = Swift.max(place - 1, 0)
            let neighbours = try links(
                type, isSource, of: near, from: first, limit: place == 0 ? 1 : 2)
            if place == 0 {
                guard let next = neighbours.first else { return 0 }
                return try position(in: next, name) - step
            }
            guard neighbours.count == 2 else { return try last() }
            let (lower, upper) = (
                try position(in: neighbours[0], name), try position(in: neighbours[1], name)
            )
            let gap: Int64 = upper - lower
            if gap > 1 { return lower + gap / 2 }
            try spread(type, isSource, of: near, around: place, name)
        }
        return try last()
    }

    /// Makes room between the positions around a place, among so many neighbours that each gets its share.
    private func spread(
        _ type: LinkType, _ isSource: Bool, of near: ItemReference, around place: Int,
        _ name: String
    ) throws(DataStoreError) {
        var count = 64
        while true {
            let start = Swift.max(place - count / 2, 0)
            // One more on either side bounds the range, unless the others end there.
            let window = try links(type, isSource, of: near, from: start, limit: count)
            let first = try position(in: window[0], name)
            let isWhole = start == 0 && window.count < count
            var last = try position(in: window[window.count - 1], name)
            if isWhole || window.count < count {
                last = first + Int64(window.count) * step
            }
            let share: Int64 = (last - first) / Int64(Swift.max(window.count - 1, 1))
            if share >= 1 << 16 || isWhole {
                for (number, link) in window.enumerated() where number > 0 {
                    if number == window.count - 1, window.count == count { break }
                    try link.backing.setValue(
                        .int(first + Int64(number) * share), forAttribute: name)
                }
                return
            }
            count *= 2
        }
    }

    /// Makes the order of an item's others complete, before places in it are counted.
    ///
    /// References may have been set, and items deleted, without their links: by an import, or under a rule of no action.
    func completeOrder(_ relation: Relation, of item: ItemReference) throws(DataStoreError) {
        guard let order = relation.order,
            try knownLinks("relationship").notesOrdered(item, relation.schema.name)
        else { return }
        let others = try references(relation, of: item)
        let linked = try references(Relation(order, of: relation), of: item)
        if others.map(\.id) == linked.map(\.id) { return }
        let (present, ordered) = (Set(others.map(\.id)), Set(linked.map(\.id)))
        for other in linked where !present.contains(other.id) {
            // An import may bring an item that has its place already.
            guard try exists(other) else { continue }
            try removeLink(order, from: item, to: other)
        }
        for other in others where !ordered.contains(other.id) {
            try addLink(order, from: item, to: other, at: nil)
        }
    }

    /// Removes the places that an item has among the others of other items than the one to which it refers.
    func removePlaces(
        _ relation: Relation, of item: ItemReference, exceptFrom other: ItemReference?
    ) throws(DataStoreError) {
        guard let back = relation.reversed, let order = back.order else { return }
        for place in try holders(Relation(order, of: back), of: item) {
            if let other, try place.backing.reference(in: LinkType.source) == other { continue }
            _ = try performDelete(place)
        }
    }

    /// A place among the links of an item, for one among its others: links to deleted items are no others.
    func place(
        _ place: Int, among relation: Relation, of item: ItemReference
    ) throws(DataStoreError) -> Int {
        guard relation.mayDangle, place > 0 else { return place }
        let linked = try references(relation, of: item, includesDeleted: true)
        var left = place
        for (index, other) in linked.enumerated() where try exists(other) {
            if left == 0 { return index }
            left -= 1
        }
        return linked.count
    }

    /// Moves an item to another place among the others of an item.
    func move(
        _ relation: Relation, of item: ItemReference, _ other: ItemReference, to place: Int
    ) throws(DataStoreError) {
        try completeOrder(relation, of: item)
        guard let near = relation.ordering, case .links(let type, let isSource) = near.storage,
            let name = type.names(isSource: isSource).position,
            let link = try link(near, of: item, to: other)
        else { return }
        let place = try self.place(place, among: relation, of: item)
        let now = try self.place(of: link, type, isSource, among: item, name)
        if now == place { return }
        // Going forward, the item itself is among those before its new place.
        let position = try position(type, isSource, of: item, at: now < place ? place + 1 : place)
        try link.backing.setValue(.int(position), forAttribute: name)
    }

    /// The place of a link among the links of an item.
    ///
    /// An index counts those before it.
    private func place(
        of link: any DataStoreItem, _ type: LinkType, _ isSource: Bool, among item: ItemReference,
        _ name: String
    ) throws(DataStoreError) -> Int {
        var place = 0
        if case .int(let position) = try link.backing.value(forAttribute: name) {
            let request = DataStoreRequest(itemTypeKey: type.key)
            request.predicate = .and([
                .reference(in: type.names(isSource: isSource).near, to: item),
                .comparison(.init(.path(.init([name])), .less, .value(.int(position)))),
            ])
            place = try performCount(request)
        }
        // Merges may give several links one position.
        while let next = try links(type, isSource, of: item, from: place, limit: 1).first,
            next.id != link.id
        {
            place += 1
        }
        return place
    }

    /// The link between two items.
    private func link(
        _ relation: Relation, of item: ItemReference, to other: ItemReference
    ) throws(DataStoreError) -> (any DataStoreItem)? {
        guard case .links(let type, _) = relation.storage else { return nil }
        let (source, target) = relation.ends(item, other)
        let id = LinkType.id(from: source.id, to: target.id)
        return try performFetchItem(ItemType(dynamic: type.key), id: id)
    }

    /// Gives the others of an item an order, if the relationship has one, and moves as few of them as possible.
    func arrange(
        _ relation: Relation, of item: ItemReference, as others: [ItemReference]
    ) throws(DataStoreError) {
        guard let near = relation.ordering, case .links(let type, let isSource) = near.storage,
            let name = type.names(isSource: isSource).position
        else { return }
        var places: [ItemID: Int] = [:]
        for other in try references(near, of: item) { places[other.id] = places.count }
        // Each once, as in a set; one that does not exist yet has its place, too.
        var (order, present): ([ItemReference], [Int]) = ([], [])
        for other in others {
            guard let place = places.removeValue(forKey: other.id) else { continue }
            order.append(other)
            present.append(place)
        }
        func position(_ place: Int) throws(DataStoreError) -> Int64? {
            guard order.indices.contains(place),
                let link = try link(near, of: item, to: order[place])
            else { return nil }
            return try self.position(in: link, name)
        }
        func move(
            _ places: Range<Int>, from first: Int64, by distance: Int64
        ) throws(DataStoreError) {
            for (number, place) in places.enumerated() {
                try link(near, of: item, to: order[place])?.backing.setValue(
                    .int(first + Int64(number) * distance), forAttribute: name)
            }
        }
        var next = 0
        // Between those that stay, the others share the room.
        for staying in present.longestAscent + [order.count] {
            defer { next = staying + 1 }
            if staying == next { continue }
            let shares = Int64(staying - next + 1)
            let after = try position(staying)
            let before = try position(next - 1) ?? (after ?? 0) - shares * step
            let share: Int64 = ((after ?? before + shares * step) - before) / shares
            if share < 1 { return try move(order.indices, from: 0, by: step) }
            try move(next..<staying, from: before + share, by: share)
        }
    }
}

extension [Int] {
    /// The indices of a longest ascending part of a list of distinct numbers.
    fileprivate var longestAscent: [Int] {
        // The index of the smallest last number of an ascending part of each length, and the one before each index.
        var (ends, before): ([Int], [Int?]) = ([], [])
        for index in indices {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if self[ends[middle]] < self[index] { low = middle + 1 } else { high = middle }
            }
            before.append(low > 0 ? ends[low - 1] : nil)
            if low < ends.count { ends[low] = index } else { ends.append(index) }
        }
        var ascent: [Int] = []
        var next = ends.last
        while let index = next {
            ascent.append(index)
            next = before[index]
        }
        return ascent.reversed()
    }
}
