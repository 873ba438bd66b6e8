import JustPersist

/// All that a store over rows keeps beside its items, as the one value that ``RowReader/catalog()`` is.
///
/// The entries by ascending key: the length of the key, the key, the length of the value, the value. Lengths are LEB128.
/// Keys and values are those of the file format; the first is the header, which has the format's version.
struct RowCatalog {
    var entries = OrderedKeyMap<[UInt8]>()

    /// - Throws: `.corrupted` if the bytes are no catalog.
    init(_ bytes: [UInt8]) throws(DataStoreError) {
        var offset = 0
        while offset < bytes.count {
            guard let key = Self.part(of: bytes, at: &offset),
                let value = Self.part(of: bytes, at: &offset)
            else {
                throw DataStoreError(
                    .corrupted, in: "read",
                    "The catalog of the store is damaged. Restore the store from a backup.")
            }
            entries.setValue(value, forKey: key.span)
        }
    }

    private static func part(of bytes: [UInt8], at offset: inout Int) -> [UInt8]? {
        guard
            let length = ValueDecoding.varint(in: bytes.span, at: &offset, end: bytes.count),
            length <= bytes.count - offset
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
        return bytes
    }
}
