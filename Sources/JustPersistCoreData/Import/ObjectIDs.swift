import JustPersist

/// The ids of the items that the objects of a store become.
///
/// An id follows from the identity of the store, the entity and the key of the row, so a second import finds the items of the first.
/// Its time is 0, so imported items precede those that a program creates, and its next bits are the key, so they keep their order.
struct ObjectIDs {
    private let hash: UInt64
    private static let hashBits: UInt64 = 42

    /// The greatest key that fits into an id.
    static let greatestKey: Int64 = (1 << 32) - 1

    /// The ids of the objects of an entity.
    init(store: String, entity: String) {
        // FNV-1a, which other releases and programs can compute too.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in Array(store.utf8) + [0] + Array(entity.utf8) {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        self.hash = (hash ^ hash >> Self.hashBits) & (1 << Self.hashBits - 1)
    }

    /// The id of the object with a key, which is not negative and not greater than ``greatestKey``.
    func id(_ key: Int64) -> ItemID {
        let key = UInt64(key)
        return ItemID(
            high: 0x7000 | key >> 20,
            low: 0x8000_0000_0000_0000 | (key & 0xF_FFFF) << Self.hashBits | hash)
    }

    /// The key of the object whose id this is; `nil` for the id of another item.
    func key(_ id: ItemID) -> Int64? {
        let key = (id.high & 0xFFF) << 20 | id.low >> Self.hashBits & 0xF_FFFF
        return self.id(Int64(key)) == id ? Int64(key) : nil
    }
}
