import Foundation
import JustPersist

extension CatalogType {
    /// The entry as it is stored.
    ///
    /// ```
    /// 0   8  checksum: wyhash of all that follows, seeded with the type's number
    /// 8   8  checksum of the key, seeded likewise
    /// 16  2  length of the key
    /// 18  …  the key
    ///     …  a dictionary in the encoding of values
    /// ```
    ///
    /// The key has a checksum of its own, so that it can be told which type is damaged when the rest is.
    func encoded() -> [UInt8] {
        let value: DataStoreValue = .dictionary([
            "attributes": .array(
                attributes.map(\.stored)),
            "indexes": .array(
                indexes.map { index in
                    .dictionary([
                        "attributes": .array(index.attributes.map { .int(Int64($0)) }),
                        "unique": .bool(index.isUnique),
                    ])
                }),
        ])
        let name = Array(key.utf8)
        var bytes = [UInt8](repeating: 0, count: 8)
        bytes.append(littleEndian: name.span.wyhash(0..<name.count, seed: UInt64(number)))
        bytes.append(littleEndian: UInt16(truncatingIfNeeded: name.count))
        bytes += name
        _ = bytes.append(payloadOf: value)
        bytes.store(
            littleEndian: bytes.span.wyhash(8..<bytes.count, seed: UInt64(number)), at: 0)
        return bytes
    }

    /// The entry that stands under a type's number; `nil` if it is damaged.
    init?(number: UInt32, decoding bytes: Span<UInt8>) {
        guard bytes.count >= 8,
            bytes.wyhash(8..<bytes.count, seed: UInt64(number)) == bytes.word64(at: 0),
            let (key, start) = Self.key(number: number, in: bytes),
            case .dictionary(let entry)? = ValueDecoding.value(
                tag: ValueTag.dictionary, in: bytes, start..<bytes.count),
            case .array(let attributes)? = entry["attributes"],
            case .array(let indexes)? = entry["indexes"], attributes.count < UInt16.max
        else { return nil }
        self.init(number: number, key: key)
        for case .dictionary(let attribute) in attributes {
            guard self.attributes.count < Int(UInt16.max),
                let attribute = CatalogAttribute(stored: attribute)
            else { return nil }
            append(attribute)
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

    /// The key in the entry of a type, and where it ends; `nil` if it is damaged.
    static func key(number: UInt32, in bytes: Span<UInt8>) -> (key: String, end: Int)? {
        let end = 18 + Int(bytes.word16(at: 16))
        guard end <= bytes.count,
            bytes.wyhash(18..<end, seed: UInt64(number)) == bytes.word64(at: 8),
            let key = String(validating: bytes.copied(18..<end), as: UTF8.self)
        else { return nil }
        return (key, end)
    }
}

extension CatalogAttribute {
    /// The attribute as it is stored.
    fileprivate var stored: DataStoreValue {
        var entry: [String: DataStoreValue] = [
            "name": .string(name), "tags": .int(Int64(tags)),
            "kinds": .int(Int64(ValueTag.bits(of: kinds))), "optional": .bool(isOptional),
            "former": .array(formerNames.map { .string($0) }),
        ]
        // Its own bytes, so that it may hold as many collections inside one another as any value.
        if let defaultValue {
            var bytes: [UInt8] = [0]
            bytes[0] = bytes.append(payloadOf: defaultValue)
            entry["default"] = .data(Data(bytes))
        }
        return .dictionary(entry)
    }

    fileprivate init?(stored entry: [String: DataStoreValue]) {
        guard case .string(let name)? = entry["name"], case .int(let tags)? = entry["tags"],
            case .int(let kinds)? = entry["kinds"], case .bool(let isOptional)? = entry["optional"],
            case .array(let former)? = entry["former"]
        else { return nil }
        var formerNames: [String] = []
        for case .string(let name) in former { formerNames.append(name) }
        var defaultValue: DataStoreValue?
        if case .data(let data)? = entry["default"] {
            let bytes = [UInt8](data)
            guard let tag = bytes.first,
                let value = ValueDecoding.value(tag: tag, in: bytes.span, 1..<bytes.count)
            else { return nil }
            defaultValue = value
        }
        self.init(
            name: name, formerNames: formerNames,
            kinds: ValueTag.kinds(in: UInt16(truncatingIfNeeded: kinds)),
            defaultValue: defaultValue, isOptional: isOptional,
            tags: UInt16(truncatingIfNeeded: tags))
    }
}

extension Catalog {
    /// The catalog of the state that a reader sees.
    ///
    /// An entry that is damaged or missing concerns its own type only.
    init(reading reader: any KeyValueReader, version: UInt64) throws(DataStoreError) {
        var read = Catalog()
        read.version = version
        try reader.scan(KeyRange(prefix: [KeySpace.catalogTag]), reversed: false) {
            (key, value) throws(DataStoreError) in
            let number = key.word32(at: 1).byteSwapped
            guard key.count == 5, number >= read.nextNumber else {
                read.note(CatalogDamage(name: "a key of \(key.count) bytes", key: nil))
                return .next
            }
            read.noteMissing(upTo: number)
            if let type = CatalogType(number: number, decoding: value) {
                read.put(type)
            } else {
                let found = CatalogType.key(number: number, in: value)
                read.note(CatalogDamage(name: "type \(number)", key: found?.key))
                read.reserve(number)
            }
            return .next
        }
        // Items or counts of a type that the catalog does not have: its last entries are missing.
        for tag in [KeySpace.counterTag, KeySpace.recordTag] {
            try reader.scan(KeyRange(prefix: [tag]), reversed: true) {
                (key, _) throws(DataStoreError) in
                let number = key.word32(at: 1).byteSwapped
                if number >= read.nextNumber {
                    read.noteMissing(upTo: number)
                    read.note(CatalogDamage(name: "type \(number)", key: nil))
                    read.reserve(number)
                }
                return .stop
            }
        }
        self = read
    }

    /// Notes that the entries from the next one up to that of `number` are missing.
    private mutating func noteMissing(upTo number: UInt32) {
        guard nextNumber < number else { return }
        let name =
            nextNumber + 1 == number
            ? "type \(nextNumber)" : "types \(nextNumber) to \(number - 1)"
        note(CatalogDamage(name: name, key: nil))
        reserve(number - 1)
    }
}
