import JustPersistRecords

/// The bytes of a LevelDB table, any of which may be damaged.
///
/// A table is a sequence of blocks, each followed by a checksum; then a filter, an index of the blocks, and a footer
/// with the place of the index.
struct TableFile {
    private let bytes: [UInt8]
    /// The blocks in the index; `nil` if it cannot be read.
    private let index: [(range: Range<Int>, lastKey: [UInt8])]?

    private static let magic: [UInt8] = [0x57, 0xFB, 0x80, 0x8B, 0x24, 0x75, 0x47, 0xDB]
    private static let footerSize = 48
    /// The size of the data that follows each block: its compression and its checksum.
    private static let trailerSize = 5

    /// A key, its version and its value.
    struct Entry {
        let key: [UInt8]
        /// The number of the change.
        let version: UInt64
        /// Whether the key was set, rather than deleted.
        let isValue: Bool
        let value: Range<Int>

        /// The entry of a stored key, which ends with the number and the kind of the change; `nil` if it is invalid.
        init?(_ key: [UInt8], _ value: Range<Int>) {
            guard key.count > 8, key[key.count - 8] <= 1 else { return nil }
            version = key.suffix(7).reversed().reduce(0) { $0 << 8 | UInt64($1) }
            isValue = key[key.count - 8] == 1
            self.key = key.dropLast(8)
            self.value = value
        }
    }

    /// An intact block.
    struct Contents {
        fileprivate let bytes: [UInt8]
        fileprivate let range: Range<Int>

        /// Calls `body` with each entry.
        func forEach(_ body: (Entry, [UInt8]) throws -> Void) rethrows {
            try TableFile.walk(bytes, range.lowerBound, TableFile.end(of: range, in: bytes)) {
                guard let entry = Entry($0, $1) else { return }
                try body(entry, Array(bytes[entry.value]))
            }
        }

        var firstKey: [UInt8]? { keys.first }
        var lastKey: [UInt8]? { keys.last }

        private var keys: [[UInt8]] {
            var keys: [[UInt8]] = []
            TableFile.walk(bytes, range.lowerBound, TableFile.end(of: range, in: bytes)) { key, _ in
                if keys.count == 2 { keys.removeLast() }
                keys.append(key.dropLast(8))
            }
            return keys
        }
    }

    /// A block, or a damaged part in place of blocks.
    struct Part {
        let range: Range<Int>
        /// `nil` if it is damaged.
        let contents: Contents?
        /// The greatest key that it may contain, if known.
        let lastKey: [UInt8]?
    }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        index = Self.readIndex(of: bytes)
    }

    var hasIndex: Bool { index != nil }

    /// Calls `body` with the blocks in their order, and with the damaged parts between them.
    func forEachPart(_ body: (Part) throws -> Void) throws {
        if let index {
            for (range, lastKey) in index {
                try body(
                    Part(
                        range: range.clamped(to: 0..<bytes.count), contents: contents(of: range),
                        lastKey: lastKey))
            }
            return
        }
        var offset = 0
        while offset < bytes.count {
            if let range = soundBlock(at: offset) {
                if let contents = contents(of: range) {
                    try body(Part(range: range, contents: contents, lastKey: nil))
                }
                offset = range.upperBound + Self.trailerSize
                continue
            }
            let next = (offset + 1..<bytes.count).first {
                isLikelyStart($0) && soundBlock(at: $0) != nil
            }
            try body(
                Part(range: offset..<(next ?? bytes.count), contents: nil, lastKey: nil))
            offset = next ?? bytes.count
        }
    }

    // MARK: Blocks

    private static func readIndex(
        of bytes: [UInt8]
    ) -> [(range: Range<Int>, lastKey: [UInt8])]? {
        guard bytes.count >= footerSize, bytes.suffix(8).elementsEqual(magic) else { return nil }
        var offset = bytes.count - footerSize
        guard handle(bytes, &offset, bytes.count) != nil,
            let place = handle(bytes, &offset, bytes.count), isSound(place, in: bytes),
            let index = contents(of: place, in: bytes)
        else { return nil }
        var blocks: [(range: Range<Int>, lastKey: [UInt8])] = []
        var isWhole = true
        walk(index.bytes, index.range.lowerBound, end(of: index.range, in: index.bytes)) {
            key, value in
            var offset = value.lowerBound
            guard key.count > 8, let block = handle(index.bytes, &offset, value.upperBound) else {
                isWhole = false
                return
            }
            blocks.append((block, key.dropLast(8)))
        }
        return isWhole ? blocks : nil
    }

    private static func handle(_ bytes: [UInt8], _ offset: inout Int, _ end: Int) -> Range<Int>? {
        guard let start = Varint.read(bytes, &offset, end),
            let size = Varint.read(bytes, &offset, end)
        else { return nil }
        return start..<start + size
    }

    private func contents(of range: Range<Int>) -> Contents? {
        Self.isSound(range, in: bytes) ? Self.contents(of: range, in: bytes) : nil
    }

    /// The block in decompressed form; `nil` if it cannot be decompressed.
    private static func contents(of range: Range<Int>, in bytes: [UInt8]) -> Contents? {
        switch bytes[range.upperBound] {
        case 0: return Contents(bytes: bytes, range: range)
        case 1:
            return Snappy.decompressed(bytes, range).map {
                Contents(bytes: $0, range: 0..<$0.count)
            }
        default: return nil
        }
    }

    /// Whether a block has the checksum that follows it.
    private static func isSound(_ range: Range<Int>, in bytes: [UInt8]) -> Bool {
        guard range.upperBound <= bytes.count - trailerSize else { return false }
        return CRC32C.masked(of: bytes[range.lowerBound...range.upperBound])
            == word(bytes, range.upperBound + 1)
    }

    private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        UInt32(bytes[offset]) | UInt32(bytes[offset + 1]) << 8 | UInt32(bytes[offset + 2]) << 16
            | UInt32(bytes[offset + 3]) << 24
    }

    /// The longest block that is searched for without an index.
    private static let longestSearched = 64 << 20

    /// The block that begins at `offset`, found by the checksum that follows it.
    private func soundBlock(at offset: Int) -> Range<Int>? {
        var sum = CRC32C.Sum()
        let end = min(bytes.count - Self.trailerSize, offset + Self.longestSearched)
        var place = offset
        while place <= end, place < bytes.count {
            let byte = bytes[place]
            sum.add(byte)
            // The byte before the checksum is the compression of the block.
            if byte <= 1, place > offset, sum.masked == Self.word(bytes, place + 1) {
                return offset..<place
            }
            place += 1
        }
        return nil
    }

    /// Whether the first key at `offset` looks like the start of a block.
    private func isLikelyStart(_ offset: Int) -> Bool {
        var place = offset
        guard bytes[offset] == 0, let shared = Varint.read(bytes, &place, bytes.count), shared == 0,
            let size = Varint.read(bytes, &place, bytes.count), (9...600).contains(size),
            let valueSize = Varint.read(bytes, &place, bytes.count),
            place + size + valueSize <= bytes.count, bytes[place + size - 8] <= 1
        else { return false }
        return SalvagedEntries.isPossible(Array(bytes[place..<place + size - 8]))
    }

    // MARK: Entries

    /// The end of a block's entries, where the list of restart points begins.
    fileprivate static func end(of range: Range<Int>, in bytes: [UInt8]) -> Int {
        guard range.count >= 4 else { return range.lowerBound }
        let restarts = Int(word(bytes, range.upperBound - 4))
        let end = range.upperBound - 4 - 4 * restarts
        return restarts < range.count / 4 && end >= range.lowerBound ? end : range.lowerBound
    }

    /// Calls `body` with the key and the place of the value of each entry up to `end`, until one cannot be read.
    @inline(never)
    fileprivate static func walk(
        _ bytes: [UInt8], _ start: Int, _ end: Int,
        _ body: (_ key: [UInt8], _ value: Range<Int>) throws -> Void
    ) rethrows {
        var offset = start
        var key: [UInt8] = []
        while offset < end {
            guard let entry = next(bytes, &offset, end, &key) else { return }
            try body(key, entry)
        }
    }

    /// Reads the entry at `offset`: the length that it shares with the previous key, the rest of its key, and its
    /// value.
    @inline(__always)
    private static func next(
        _ bytes: [UInt8], _ offset: inout Int, _ end: Int, _ key: inout [UInt8]
    ) -> Range<Int>? {
        guard let shared = Varint.read(bytes, &offset, end), shared <= key.count,
            let rest = Varint.read(bytes, &offset, end),
            let size = Varint.read(bytes, &offset, end), rest + size <= end - offset
        else { return nil }
        key.removeLast(key.count - shared)
        key += bytes[offset..<offset + rest]
        offset += rest + size
        return (offset - size)..<offset
    }

    /// Calls `body` with each entry found in a damaged part; `body` returns whether the entry is intact.
    func carve(_ range: Range<Int>, _ body: (Entry, [UInt8]) throws -> Bool) throws {
        var start = range.lowerBound
        while start < range.upperBound {
            guard isLikelyStart(start) else {
                start += 1
                continue
            }
            // From a complete key on, each entry leads to the next.
            var offset = start
            var key: [UInt8] = []
            var soundEnd = start
            while offset < range.upperBound,
                let value = Self.next(bytes, &offset, range.upperBound, &key),
                let entry = Entry(key, value), SalvagedEntries.isPossible(entry.key)
            {
                if SalvagedEntries.isWanted(entry.key), try body(entry, Array(bytes[value])) {
                    soundEnd = offset
                }
            }
            start = max(start + 1, soundEnd)
        }
    }
}
