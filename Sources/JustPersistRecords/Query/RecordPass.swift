import JustPersist

/// One pass over all records of a type, in one scan or in several consecutive ones.
///
/// It checks what every engine guarantees and a damaged file may violate: the keys belong to the type, are strictly
/// ascending, and are as many as the store counts.
struct RecordPass {
    /// Whether it goes from the last record to the first.
    let isReversed: Bool
    /// The last record that was read; the next scan begins after it.
    private(set) var last: ItemID?
    private(set) var count = 0

    init(isReversed: Bool = false) { self.isReversed = isReversed }

    /// A pass that begins after an id.
    init(after id: ItemID?, isReversed: Bool = false) {
        self.isReversed = isReversed
        last = id
    }

    /// The keys that are still to come.
    func rest(of number: UInt32) -> KeyRange {
        let range = RecordKey.range(type: number)
        guard let last else { return range }
        var key = RecordKey(type: number)
        key.set(last)
        return isReversed
            ? KeyRange(from: range.lower, upTo: key.bytes)
            : KeyRange(from: key.bytes + [0], upTo: range.upper)
    }

    /// The id in the next key; an error if the key does not belong to the type, or does not follow the last one.
    @inline(__always)
    mutating func advance(
        to key: Span<UInt8>, _ number: UInt32, _ typeKey: String
    ) throws(DataStoreError) -> ItemID {
        guard RecordKey.isKey(key, ofType: number) else {
            throw .misplacedKey(key, ofType: typeKey)
        }
        let id = RecordKey.id(in: key)
        if let last, isReversed ? id >= last : id <= last {
            throw .misplacedKey(key, ofType: typeKey)
        }
        last = id
        count += 1
        return id
    }
}

extension DataStoreError {
    /// The stored number of items differs from the number of records.
    static func recordsMissing(
        counted stored: Int, found: Int, ofType itemType: String
    ) -> DataStoreError {
        DataStoreError(
            .corrupted, in: "read",
            """
            The store counts \(stored.counted("item")) of “\(itemType)”, but has \(found): records are \
            missing or doubled, or the number is wrong. Verify the store, and restore it from a backup; if nothing else is \
            wrong with it, a repair counts the items anew.
            """, itemType: itemType)
    }

    /// A key that is out of order.
    static func misplacedKey(_ key: Span<UInt8>, ofType itemType: String) -> DataStoreError {
        let name = key.count == RecordKey.length ? "\(RecordKey.id(in: key))" : "\(key.count) bytes"
        return DataStoreError(
            .corrupted, in: "read",
            """
            The records of “\(itemType)” are out of order: a key (\(name)) is not greater than the \
            previous one, so records may be missing or doubled. Verify the store, and restore it from a \
            backup.
            """, itemType: itemType)
    }
}
