import JustPersist

/// Ids without duplicates, ascending or descending.
protocol IDSource: AnyObject {
    /// The next id that does not come before a bound; `nil` at the end.
    ///
    /// - Parameter bound: An id to continue from; `nil` for the next id.
    func next(
        notBefore bound: ItemID?, in block: Block
    ) throws(DataStoreError) -> ItemID?

    /// Skips the next `count` ids.
    func skip(_ count: Int, in block: Block) throws(DataStoreError)
}

extension IDSource {
    /// Skips the ids one by one.
    func skip(_ count: Int, in block: Block) throws(DataStoreError) {
        var left = count
        while left > 0, try next(in: block) != nil { left -= 1 }
    }

    /// The next id; `nil` at the end.
    func next(in block: Block) throws(DataStoreError) -> ItemID? {
        try next(notBefore: nil, in: block)
    }
}

/// Ids that were read already.
final class ListedIDs: IDSource {
    private var rest: ArraySlice<ItemID>
    private let isReversed: Bool

    /// - Parameter ids: The ids, ascending and without duplicates.
    init(_ ids: [ItemID], isReversed: Bool) {
        rest = isReversed ? ids.reversed()[...] : ids[...]
        self.isReversed = isReversed
    }

    /// How many are left.
    var count: Int { rest.count }

    func skip(_ count: Int, in block: Block) { rest = rest.dropFirst(count) }

    func next(notBefore bound: ItemID?, in block: Block) -> ItemID? {
        if let bound {
            while let first = rest.first, isReversed ? first > bound : first < bound {
                rest = rest.dropFirst()
            }
        }
        return rest.popFirst()
    }
}

/// The ids in a range of entries that is sorted by id, read in batches.
final class EntryIDs: IDSource {
    private let range: KeyRange
    private let isReversed: Bool
    /// How many entries are read at once.
    private var batch: Int
    private var ids: [ItemID] = []
    private var place = 0
    private var last: ItemID?
    private var isOver = false

    /// - Parameters:
    ///   - range: The keys that consist of certain values followed by an id.
    ///   - first: The size of the first batch.
    init(_ range: KeyRange, isReversed: Bool, first: Int) {
        self.range = range
        self.isReversed = isReversed
        batch = max(1, min(256, first))
    }

    func next(
        notBefore bound: ItemID?, in block: Block
    ) throws(DataStoreError) -> ItemID? {
        while true {
            while place < ids.count {
                let id = ids[place]
                place += 1
                if let bound, isReversed ? id > bound : id < bound { continue }
                return id
            }
            if isOver { return nil }
            try fill(from: bound, in: block)
        }
    }

    func skip(_ count: Int, in block: Block) throws(DataStoreError) {
        let read = min(count, ids.count - place)
        place += read
        if count == read || isOver { return }
        let passed = try block.passKeys(
            rest(from: nil), reversed: isReversed, most: count - read)
        if let key = passed.last {
            last = IndexKey.id(in: key.span)
        } else {
            isOver = true
        }
    }

    private func fill(from bound: ItemID?, in block: Block) throws(DataStoreError) {
        ids.removeAll(keepingCapacity: true)
        place = 0
        try scan(batch, from: bound, in: block) { ids.append($0) }
        batch = block.reader.batchSize
    }

    /// The entries after the last one that was read, and not before a bound.
    private func rest(from bound: ItemID?) -> KeyRange {
        var start = range.lower
        if let bound, last.map({ isReversed ? bound < $0 : bound > $0 }) ?? true {
            start.append(bound)
            return isReversed
                ? KeyRange(from: range.lower, upTo: start + [0])
                : KeyRange(from: start, upTo: range.upper)
        }
        guard let last else { return range }
        start.append(last)
        return isReversed
            ? KeyRange(from: range.lower, upTo: start)
            : KeyRange(from: start + [0], upTo: range.upper)
    }

    /// Reads up to `limit` entries after the last one, and not before a bound.
    private func scan(
        _ limit: Int, from bound: ItemID?, in block: Block, _ body: (ItemID) -> Void
    ) throws(DataStoreError) {
        var count = 0
        var newest: ItemID?
        try block.scanKeys(rest(from: bound), reversed: isReversed) {
            (key) throws(DataStoreError) in
            let id = IndexKey.id(in: key)
            newest = id
            body(id)
            count += 1
            return count < limit ? .next : .stop
        }
        block.entriesExamined += count
        isOver = count < limit
        last = newest ?? last
    }
}

/// The ids that are in at least one of several sources.
final class UnitedIDs: IDSource {
    private let sources: [any IDSource]
    private var heads: [ItemID?]
    private var isBegun = false
    private let isReversed: Bool

    init(_ sources: [any IDSource], isReversed: Bool) {
        self.sources = sources
        self.isReversed = isReversed
        heads = sources.map { _ in nil }
    }

    func next(
        notBefore bound: ItemID?, in block: Block
    ) throws(DataStoreError) -> ItemID? {
        var first: ItemID?
        for place in sources.indices {
            if !isBegun { heads[place] = try sources[place].next(notBefore: bound, in: block) }
            if let head = heads[place], let bound, isReversed ? head > bound : head < bound {
                heads[place] = try sources[place].next(notBefore: bound, in: block)
            }
            if let head = heads[place], first.map({ isReversed ? head > $0 : head < $0 }) ?? true {
                first = head
            }
        }
        isBegun = true
        guard let first else { return nil }
        for place in sources.indices where heads[place] == first {
            heads[place] = try sources[place].next(in: block)
        }
        return first
    }
}

/// The ids that are in all of several sources.
final class CommonIDs: IDSource {
    private let sources: [any IDSource]
    private var heads: [ItemID?]
    private let isReversed: Bool

    init(_ sources: [any IDSource], isReversed: Bool) {
        self.sources = sources
        self.isReversed = isReversed
        heads = sources.map { _ in nil }
    }

    func next(
        notBefore bound: ItemID?, in block: Block
    ) throws(DataStoreError) -> ItemID? {
        guard var candidate = try sources[0].next(notBefore: bound, in: block) else { return nil }
        var place = 1
        while place < sources.count {
            if heads[place].map({ isReversed ? $0 > candidate : $0 < candidate }) ?? true {
                heads[place] = try sources[place].next(notBefore: candidate, in: block)
            }
            guard let head = heads[place] else { return nil }
            if head == candidate {
                place += 1
                continue
            }
            guard let next = try sources[0].next(notBefore: head, in: block) else { return nil }
            candidate = next
            place = 1
        }
        return candidate
    }
}
