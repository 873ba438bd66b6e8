import JustPersist

extension CatalogType {
    /// The entry as it is stored: a checksum over key and value, and a dictionary in the encoding of values.
    func encoded() -> [UInt8] {
        let value: DataStoreValue = .dictionary([
            "key": .string(key),
            "attributes": .array(
                attributes.map { attribute in
                    .dictionary([
                        "name": .string(attribute.name), "tags": .int(Int64(attribute.tags)),
                    ])
                }),
            "indexes": .array(
                indexes.map { index in
                    .dictionary([
                        "attributes": .array(index.attributes.map { .int(Int64($0)) }),
                        "unique": .bool(index.isUnique),
                    ])
                }),
        ])
        var bytes = [UInt8](repeating: 0, count: 8)
        _ = bytes.append(payloadOf: value)
        bytes.store(
            littleEndian: bytes.span.wyhash(8..<bytes.count, seed: UInt64(number)), at: 0)
        return bytes
    }

    /// The entry that stands under a type's number; `nil` if it is damaged.
    init?(number: UInt32, decoding bytes: Span<UInt8>) {
        guard bytes.count >= 8,
            bytes.wyhash(8..<bytes.count, seed: UInt64(number)) == bytes.word64(at: 0),
            case .dictionary(let entry)? = ValueDecoding.value(
                tag: ValueTag.dictionary, in: bytes, 8..<bytes.count),
            case .string(let key)? = entry["key"],
            case .array(let attributes)? = entry["attributes"],
            case .array(let indexes)? = entry["indexes"], attributes.count < UInt16.max
        else { return nil }
        self.init(number: number, key: key)
        for case .dictionary(let attribute) in attributes {
            guard self.attributes.count < Int(UInt16.max),
                case .string(let name)? = attribute["name"],
                case .int(let tags)? = attribute["tags"]
            else { return nil }
            append(
                CatalogAttribute(name: name, tags: UInt16(truncatingIfNeeded: tags)))
        }
        for case .dictionary(let index) in indexes {
            guard case .array(let values)? = index["attributes"],
                case .bool(let isUnique)? = index["unique"]
            else { return nil }
            var ids: [UInt16] = []
            for case .int(let value) in values where value >= 0 && value < attributes.count {
                ids.append(UInt16(truncatingIfNeeded: value))
            }
            guard ids.count == values.count else { return nil }
            self.indexes.append(CatalogIndex(attributes: ids, isUnique: isUnique))
        }
    }
}

extension Catalog {
    /// The catalog of the state that a reader sees.
    init(reading reader: any KeyValueReader, version: UInt64) throws(DataStoreError) {
        var read = Catalog()
        read.version = version
        try reader.scan(KeyRange(prefix: [KeySpace.catalogTag]), reversed: false) {
            (key, value) throws(DataStoreError) in
            let number = key.word32(at: 1).byteSwapped
            guard key.count == 5, number == read.nextNumber,
                let type = CatalogType(number: number, decoding: value)
            else {
                throw DataStoreError(
                    .corrupted, in: "open",
                    """
                    The catalog entry of type \(number) is damaged, so the store's types are not known. \
                    Restore the store from a backup.
                    """)
            }
            read.put(type)
            return .next
        }
        self = read
    }
}
