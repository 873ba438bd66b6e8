import JustPersist

/// The stored number of items of a type: 8 bytes, and a checksum of 8.
enum Counter {
    /// Greater than any store's number of items; the numbers of all types can be added without overflow.
    private static let most: UInt64 = 1 << 48

    static func key(_ type: UInt32) -> [UInt8] {
        KeySpace.key(KeySpace.counterTag, type: type)
    }

    static func read(
        _ type: UInt32, from reader: any KeyValueReader
    ) throws(DataStoreError) -> Int {
        var count = 0
        _ = try reader.withValue(forKey: key(type)) { (bytes) throws(DataStoreError) in
            guard bytes.count == 16,
                bytes.wyhash(0..<8, seed: UInt64(type)) == bytes.word64(at: 8),
                bytes.word64(at: 0) < most, let stored = Int(exactly: bytes.word64(at: 0))
            else {
                throw DataStoreError(
                    .corrupted, in: "count",
                    "The stored number of items of type \(type) is damaged. The items are not affected."
                )
            }
            count = stored
        }
        return count
    }

    static func write(
        _ count: Int, type: UInt32, to writer: any KeyValueWriter
    ) throws(DataStoreError) {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: UInt64(max(0, count)))
        bytes.append(littleEndian: bytes.span.wyhash(0..<8, seed: UInt64(type)))
        try writer.put(bytes, forKey: key(type))
    }

    /// The number of items after a change; counts the items if the stored number is damaged.
    static func count(
        after change: Int, type: UInt32, in reader: any KeyValueReader
    ) throws(DataStoreError) -> Int {
        do throws(DataStoreError) {
            return try read(type, from: reader) + change
        } catch {
            if error.code != .corrupted { throw error }
        }
        return try found(type, in: reader)
    }

    /// Counts the records of a type.
    static func found(
        _ type: UInt32, in reader: any KeyValueReader
    ) throws(DataStoreError) -> Int {
        var count = 0
        try reader.scanKeys(RecordKey.range(type: type), reversed: false) {
            (_) throws(DataStoreError) in
            count += 1
            return .next
        }
        return count
    }
}
