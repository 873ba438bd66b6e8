import JustPersist

/// Maps the encoded bytes of group keys to groups, so that most keys need not be decoded.
///
/// A group may have several such keys: those of 1 and of 1.0, for example.
struct RawKeys {
    private struct Entry {
        let hash: UInt64
        let tag: UInt8
        let start: Int
        let end: Int
        let group: Int
    }

    private var entries: [Entry] = []
    /// The bytes of the keys, concatenated.
    private var bytes: [UInt8] = []
    /// A hash table with open addressing: indexes into ``entries``, or -1 for none.
    ///
    /// Its size is a power of two, and half of it is empty.
    private var slots = [Int32](repeating: -1, count: 64)

    /// The group of a key; `nil` if the key is not in the table.
    @inline(__always)
    func group(of key: Span<UInt8>, tag: UInt8) -> Int? {
        let hash = Self.hash(key, tag)
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] >= 0 {
            let entry = entries[Int(slots[slot])]
            if entry.hash == hash, entry.tag == tag, entry.end - entry.start == key.count,
                bytes.span.compare(entry.start..<entry.end, key) == 0
            {
                return entry.group
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Adds a new key with its group.
    mutating func note(_ key: Span<UInt8>, tag: UInt8, group: Int) {
        let hash = Self.hash(key, tag)
        let start = bytes.count
        for index in key.indices { bytes.append(key[index]) }
        entries.append(
            Entry(hash: hash, tag: tag, start: start, end: bytes.count, group: group))
        if entries.count * 2 > slots.count {
            slots = [Int32](repeating: -1, count: slots.count * 2)
            for place in entries.indices { put(place) }
        } else {
            put(entries.count - 1)
        }
    }

    private mutating func put(_ place: Int) {
        var slot = Int(truncatingIfNeeded: entries[place].hash) & (slots.count - 1)
        while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = Int32(place)
    }

    @inline(__always)
    private static func hash(_ key: Span<UInt8>, _ tag: UInt8) -> UInt64 {
        key.wyhash(0..<key.count, seed: UInt64(tag))
    }
}
