import JustPersist

/// The items that a write block has returned: one object per stored item.
struct LiveItems {
    /// The type is part of the key because two types may have items with one id.
    private struct Key: Hashable {
        let type: UInt32
        let id: ItemID

        // The standard library's hash is designed for keys of any length, and took an eighth of the time of an update.
        // If its dictionary stops calling this function, only speed is lost.
        func _rawHashValue(seed: Int) -> Int {
            let product = (id.high ^ Self.secret.0).multipliedFullWidth(
                by: id.low ^ Self.secret.1)
            return Int(truncatingIfNeeded: product.high ^ product.low) ^ seed
        }

        /// Random, so that colliding ids cannot be chosen deliberately.
        private static let secret = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))
    }

    /// Type-erased, because only `AnyObject` can be checked for unique references.
    private var items: [Key: AnyObject] = [:]
    private var sweepSize = 16_384
    /// The size in bytes of the records of the items that were added, and the size from which a sweep is worth its
    /// time.
    private var bytes = 0
    private var sweepBytes = leastSweepBytes
    private static let leastSweepBytes = 16 << 20

    /// The item of a type, by the type's number, with that id.
    subscript(type: UInt32, id: ItemID) -> (any DataStoreItem)? {
        items[Key(type: type, id: id)] as? any DataStoreItem
    }

    /// Adds an item whose values have that size in bytes.
    mutating func add(_ item: AnyObject?, type: UInt32, id: ItemID, bytes: Int) {
        items[Key(type: type, id: id)] = item
        self.bytes += bytes
    }

    mutating func remove(type: UInt32, id: ItemID) -> (any DataStoreItem)? {
        items.removeValue(forKey: Key(type: type, id: id)) as? any DataStoreItem
    }

    mutating func removeAll() { items = [:] }

    /// Removes all items of a type, and returns them.
    mutating func removeAll(type: UInt32) -> [any DataStoreItem] {
        let keys = items.keys.filter { $0.type == type }
        return keys.compactMap { items.removeValue(forKey: $0) as? any DataStoreItem }
    }

    /// Whether enough items were added since the last ``dropUnused()`` to make a sweep worth its time.
    var wantsSweep: Bool { items.count > sweepSize || bytes > sweepBytes }

    /// Removes items without other references; they can be read again.
    mutating func dropUnused() {
        let count = items.count
        // The loop does not use `indices`, which would retain the dictionary and so a second reference to every item.
        var index = items.startIndex
        while index != items.endIndex {
            if isKnownUniquelyReferenced(&items.values[index]) {
                items.values[index] = Self.unused
            }
            items.formIndex(after: &index)
        }
        items = items.filter { $0.value !== Self.unused }
        sweepSize = max(16_384, items.count * 2)
        // The size of the remaining items is estimated from their share of the count.
        bytes = Int(Double(bytes) * Double(items.count) / Double(max(1, count)))
        sweepBytes = max(Self.leastSweepBytes, bytes * 2)
    }

    private final class Unused: Sendable {}
    private static let unused = Unused()
}
