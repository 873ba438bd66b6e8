import JustPersist

/// The items that a write block gave out: one object per stored item.
struct LiveItems {
    /// Two types may each have an item with one id.
    private struct Key: Hashable {
        let type: UInt32
        let id: ItemID

        // The standard library's hash is made for keys of any length, and took an eighth of the time of an update. If its
        // dictionary stops calling this, only that time is lost.
        func _rawHashValue(seed: Int) -> Int {
            let product = (id.high ^ Self.secret.0).multipliedFullWidth(
                by: id.low ^ Self.secret.1)
            return Int(truncatingIfNeeded: product.high ^ product.low) ^ seed
        }

        /// Random, so that nobody can choose ids that collide.
        private static let secret = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))
    }

    /// Type-erased, because only that can be asked whether it is used elsewhere.
    private var items: [Key: AnyObject] = [:]
    private var sweepSize = 16_384
    /// The bytes of the records of the items that were added, and from how many on a sweep is worth its time.
    private var bytes = 0
    private var sweepBytes = leastSweepBytes
    private static let leastSweepBytes = 16 << 20

    /// The item of a type, by the type's number, with that id.
    subscript(type: UInt32, id: ItemID) -> (any DataStoreItem)? {
        items[Key(type: type, id: id)] as? any DataStoreItem
    }

    /// Adds an item whose values take so many bytes.
    mutating func add(_ item: AnyObject?, type: UInt32, id: ItemID, bytes: Int) {
        items[Key(type: type, id: id)] = item
        self.bytes += bytes
    }

    mutating func remove(type: UInt32, id: ItemID) -> (any DataStoreItem)? {
        items.removeValue(forKey: Key(type: type, id: id)) as? any DataStoreItem
    }

    mutating func removeAll() { items = [:] }

    /// Lets go of all items of a type, and gives them.
    mutating func removeAll(type: UInt32) -> [any DataStoreItem] {
        let keys = items.keys.filter { $0.type == type }
        return keys.compactMap { items.removeValue(forKey: $0) as? any DataStoreItem }
    }

    /// Whether so many came since the last ``dropUnused()`` that it is worth its time.
    var wantsSweep: Bool { items.count > sweepSize || bytes > sweepBytes }

    /// Lets go of items that nobody else holds; they can be read again when they are asked for.
    mutating func dropUnused() {
        let count = items.count
        // Not over `indices`, which hold the dictionary and with it every item a second time.
        var index = items.startIndex
        while index != items.endIndex {
            if isKnownUniquelyReferenced(&items.values[index]) {
                items.values[index] = Self.unused
            }
            items.formIndex(after: &index)
        }
        items = items.filter { $0.value !== Self.unused }
        sweepSize = max(16_384, items.count * 2)
        // What those that stay take is estimated by their share.
        bytes = Int(Double(bytes) * Double(items.count) / Double(max(1, count)))
        sweepBytes = max(Self.leastSweepBytes, bytes * 2)
    }

    private final class Unused: Sendable {}
    private static let unused = Unused()
}
