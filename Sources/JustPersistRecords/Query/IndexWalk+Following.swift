import JustPersist

/// The order in which a walk visits entries.
extension IndexWalk {
    /// Visits some ranges of an index in the order of the sort.
    ///
    /// - Parameter prefix: The bytes of the keys before the components of the sort.
    mutating func follow(
        _ prefix: [UInt8], _ ranges: [KeyRange], in block: Block
    ) throws(DataStoreError) {
        for range in order.descending[0] ? ranges.reversed() : ranges {
            try follow(range, prefix.count, level: 0, prefix: prefix, in: block)
            if isOver { return }
        }
    }

    /// Visits a range in which each of the first `level` sort keys has a single value.
    private mutating func follow(
        _ range: KeyRange, _ start: Int, level: Int, prefix: [UInt8], in block: Block
    ) throws(DataStoreError) {
        let isReversed = order.descending[level]
        let run = order.descending[level...].prefix { $0 == isReversed }.count
        if level + run == order.keyCount {
            if level == 0 { try prepareRecords(range, isReversed: isReversed, in: block) }
            return try follow(range, start, isReversed: isReversed, in: block)
        }
        // Visits the values of the keys that share a direction, one after another.
        var rest = range
        while !isOver {
            var first: [UInt8]?
            try block.scanKeys(rest, reversed: isReversed) { (key) throws(DataStoreError) in
                first = key.copied(0..<key.count)
                return .stop
            }
            guard let key = first else { return }
            block.entriesExamined += 1
            var offset = prefix.count
            var isExact = true
            for _ in 0..<run where isExact {
                guard let (end, precision) = IndexKey.component(in: key.span, at: offset) else {
                    throw .misplacedKey(key.span, ofType: query.type.itemType.key)
                }
                offset = end
                isExact = precision == .exact
            }
            let value = Array(key[..<offset])
            let part = KeyRange(prefix: value).intersection(rest)
            if isExact {
                try follow(part, start, level: level + run, prefix: value, in: block)
            } else {
                // The key is truncated, so the records decide.
                try follow(part, start, isReversed: false, in: block)
            }
            rest =
                isReversed
                ? KeyRange(from: rest.lower, upTo: value)
                : KeyRange(from: KeyRange(prefix: value).upper ?? value, upTo: rest.upper)
        }
    }

    /// Visits the entries of a range in one direction.
    private mutating func follow(
        _ range: KeyRange, _ start: Int, isReversed: Bool, in block: Block
    ) throws(DataStoreError) {
        var rest = range
        if leavesManyOut {
            guard let left = try passLeftOut(range, start, isReversed: isReversed, in: block)
            else { return }
            rest = left
        }
        while true {
            try block.scanKeys(rest, reversed: isReversed) { (key) throws(DataStoreError) in
                block.entriesExamined += 1
                return try visit(key, from: start, isReversed: isReversed, in: block)
            }
            guard isLarge else { return }
            beginLargeGroup()
            let value = rest.lower[..<start] + group
            let large = KeyRange(prefix: Array(value))
            try follow(large, start, isReversed: false, in: block)
            if isOver { return }
            rest = KeyRange(from: rest.lower, upTo: large.lower)
        }
    }

    // MARK: Several lanes

    /// Merges all lanes: the next entry is always the first one of any lane.
    mutating func followLanes(in block: Block) throws(DataStoreError) {
        let isReversed = order.descending[0]
        var lanes = order.lanes.map {
            LaneEntries($0.prefix.count, $0.ranges, isReversed: isReversed, keys: order.keyCount)
        }
        while !isOver {
            var first: Int?
            for place in lanes.indices {
                guard try lanes[place].isReady(in: block) else { continue }
                guard let known = first else {
                    first = place
                    continue
                }
                let sign = lanes[place].compare(lanes[known])
                if isReversed ? sign > 0 : sign < 0 { first = place }
            }
            guard let place = first, let key = lanes[place].next() else { return }
            _ = try visit(key.span, from: lanes[place].start, isReversed: isReversed, in: block)
        }
    }
}

/// The entries of one lane, read in batches.
private struct LaneEntries {
    let start: Int
    private var ranges: [KeyRange]
    private let isReversed: Bool
    private let keyCount: Int
    private var batch = 4
    /// The keys that were read, the next one last, and where the components of the sort end in it.
    private var keys: [[UInt8]] = []
    private var end = 0

    init(_ start: Int, _ ranges: [KeyRange], isReversed: Bool, keys: Int) {
        self.start = start
        self.isReversed = isReversed
        keyCount = keys
        // The next range is the last one.
        self.ranges = isReversed ? ranges : ranges.reversed()
    }

    /// Makes sure that the next entry has been read; returns false at the end.
    mutating func isReady(in block: Block) throws(DataStoreError) -> Bool {
        if end > 0 { return true }
        while keys.isEmpty {
            guard let range = ranges.popLast() else { return false }
            var found: [[UInt8]] = []
            let batch = batch
            try block.scanKeys(range, reversed: isReversed) { (key) throws(DataStoreError) in
                found.append(key.copied(0..<key.count))
                return found.count < batch ? .next : .stop
            }
            block.entriesExamined += found.count
            if found.count == batch, let last = found.last {
                ranges.append(
                    isReversed
                        ? KeyRange(from: range.lower, upTo: last)
                        : KeyRange(from: last + [0], upTo: range.upper))
                self.batch = min(256, batch * 4)
            }
            keys = found.reversed()
        }
        end = start
        guard let key = keys.last else { return false }
        for _ in 0..<keyCount {
            end = IndexKey.component(in: key.span, at: end)?.end ?? end
        }
        return true
    }

    mutating func next() -> [UInt8]? {
        end = 0
        return keys.popLast()
    }

    /// Compares the next entries of two lanes: negative, zero or positive.
    func compare(_ other: LaneEntries) -> Int {
        guard let key = keys.last, let otherKey = other.keys.last else { return 0 }
        return key.span.compare(
            start..<end, otherKey.span.extracting(other.start..<other.end))
    }
}
