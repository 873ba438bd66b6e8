import JustPersist

/// All data of a store over rows except its items, as the value of ``RowReader/catalog()``.
///
/// The entries in ascending order of their keys: the length of the key, the key, the length of the value, the value.
/// Lengths are LEB128. Keys and values are those of the file format; the first is the header, which has the format's
/// version. The last 8 bytes are the wyhash of all bytes before them.
struct RowCatalog {
    var entries = OrderedKeyMap<[UInt8]>()

    /// The catalog of a new store.
    init() {}

    /// - Throws: `.corrupted` if the bytes are not a catalog.
    init(_ bytes: [UInt8]) throws(DataStoreError) {
        let damage = DataStoreError(
            .corrupted, in: "read",
            "The catalog of the store is damaged. Restore the store from a backup.")
        let end = bytes.count - 8
        guard end >= 0, bytes.span.wyhash(0..<end, seed: 0) == bytes.span.word64(at: end) else {
            throw damage
        }
        var offset = 0
        while offset < end {
            guard let key = Self.part(of: bytes, at: &offset, end),
                let value = Self.part(of: bytes, at: &offset, end)
            else { throw damage }
            entries.setValue(value, forKey: key.span)
        }
    }

    private static func part(of bytes: [UInt8], at offset: inout Int, _ end: Int) -> [UInt8]? {
        guard let length = ValueDecoding.varint(in: bytes.span, at: &offset, end: end),
            length <= end - offset
        else { return nil }
        defer { offset += length }
        return Array(bytes[offset..<(offset + length)])
    }

    func encoded() throws(DataStoreError) -> [UInt8] {
        var bytes: [UInt8] = []
        try entries.scan(.all) { (key, value) throws(DataStoreError) in
            bytes.append(varint: key.count)
            bytes.append(contentsOf: key.copied())
            bytes.append(varint: value.count)
            bytes.append(contentsOf: value)
            return .next
        }
        bytes.append(littleEndian: bytes.span.wyhash(0..<bytes.count, seed: 0))
        return bytes
    }
}
