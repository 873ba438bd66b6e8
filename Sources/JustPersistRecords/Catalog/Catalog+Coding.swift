import Foundation
import JustPersist

extension CatalogType {
    private enum FieldNumber {
        static let attribute: UInt8 = 1
        static let index: UInt8 = 2
        static let formerKey: UInt8 = 3
        static let isUndeclared: UInt8 = 4
    }

    /// The entry as it is stored.
    ///
    /// ```
    /// 0   8  checksum: wyhash of all that follows, seeded with the type's number
    /// 8   8  checksum of the key, seeded likewise
    /// 16  2  length of the key
    /// 18  …  the key
    ///     …  fields (EntryFields)
    /// ```
    ///
    /// The key has its own checksum, which identifies the damaged type when the rest is unreadable.
    func encoded(_ types: BlockCatalog) -> [UInt8] {
        var fields = EntryFields()
        for attribute in attributes {
            fields.append(FieldNumber.attribute, attribute.encoded(types))
        }
        for index in indexes { fields.append(FieldNumber.index, index.encoded()) }
        for relationship in relationships {
            fields.append(RelationshipSchema.fieldNumber, relationship.encoded())
        }
        for key in formerKeys { fields.append(FieldNumber.formerKey, key) }
        if !isDeclared { fields.append(FieldNumber.isUndeclared, []) }
        fields.append(unknown)

        let name = Array(key.utf8)
        var bytes = [UInt8](repeating: 0, count: 8)
        bytes.append(littleEndian: name.span.wyhash(0..<name.count, seed: UInt64(number)))
        bytes.append(littleEndian: UInt16(truncatingIfNeeded: name.count))
        bytes += name
        bytes += fields.bytes
        bytes.store(
            littleEndian: bytes.span.wyhash(8..<bytes.count, seed: UInt64(number)), at: 0)
        return bytes
    }

    /// The entry stored under a type's number; `nil` if it is damaged.
    init?(number: UInt32, decoding bytes: Span<UInt8>, _ types: BlockCatalog) {
        guard bytes.count >= 8,
            bytes.wyhash(8..<bytes.count, seed: UInt64(number)) == bytes.word64(at: 0),
            let (key, start) = Self.key(number: number, in: bytes)
        else { return nil }
        self.init(number: number, key: key)
        var read = self
        var unknown = UnknownFields()
        var unknownRelationships = UnknownFields()
        let isSound = EntryFields.read(bytes, start..<bytes.count, keeping: &unknown) {
            field, range in
            switch field {
            case FieldNumber.attribute:
                guard read.attributes.count < Int(UInt16.max),
                    let attribute = CatalogAttribute(decoding: bytes, range, types)
                else { return nil }
                read.append(attribute)
            case FieldNumber.index:
                guard let index = CatalogIndex(decoding: bytes, range) else { return nil }
                read.indexes.append(index)
            case RelationshipSchema.fieldNumber & 0x3F:
                guard
                    let relationship = RelationshipSchema(
                        decoding: bytes, range, &unknownRelationships)
                else { return nil }
                read.relationships.append(relationship)
            case FieldNumber.formerKey: read.formerKeys.append(bytes.text(in: range))
            case FieldNumber.isUndeclared where range.isEmpty: read.isDeclared = false
            case FieldNumber.isUndeclared: return nil
            default: return false
            }
            return true
        }
        let ids = 0..<read.attributes.count
        guard isSound,
            read.indexes.allSatisfy({ $0.components.allSatisfy { ids.contains(Int($0.attribute)) } }
            )
        else { return nil }
        for attribute in read.attributes { unknown.add(rulesOf: attribute.unknown) }
        for index in read.indexes { unknown.add(rulesOf: index.unknown) }
        unknown.add(rulesOf: unknownRelationships)
        read.unknown = unknown
        self = read
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
    private enum FieldNumber {
        static let name: UInt8 = 1
        static let kinds: UInt8 = 2
        static let tags: UInt8 = 3
        static let isOptional: UInt8 = 4
        static let defaultValue: UInt8 = 5
        static let formerName: UInt8 = 6
        static let exact: UInt8 = 7
    }

    fileprivate func encoded(_ types: BlockCatalog) -> [UInt8] {
        var fields = EntryFields()
        fields.append(FieldNumber.name, name)
        var allowed = laterKinds
        allowed.known = ValueTag.bits(of: kinds)
        fields.append(FieldNumber.kinds, allowed.bytes)
        fields.append(FieldNumber.tags, tags.bytes)
        if isOptional { fields.append(FieldNumber.isOptional, []) }
        if let recordedDefault {
            var bytes: [UInt8] = [0]
            bytes[0] = bytes.append(payloadOf: recordedDefault, types)
            fields.append(FieldNumber.defaultValue, bytes)
        }
        for name in formerNames { fields.append(FieldNumber.formerName, name) }
        if exact != 0 { fields.append(FieldNumber.exact, TagSet(exact).bytes) }
        fields.append(unknown)
        return fields.bytes
    }

    fileprivate init?(decoding bytes: Span<UInt8>, _ range: Range<Int>, _ types: BlockCatalog) {
        var name: String?
        var formerNames: [String] = []
        var kinds = TagSet()
        var (tags, exact) = (TagSet(), TagSet())
        var recordedDefault: DataStoreValue?
        var hasLaterDefault = false
        var isOptional = false
        var unknown = UnknownFields()
        let isSound = EntryFields.read(bytes, range, keeping: &unknown) { field, range in
            switch field {
            case FieldNumber.name: name = bytes.text(in: range)
            case FieldNumber.kinds: kinds = TagSet(bytes.copied(range))
            case FieldNumber.tags: tags = TagSet(bytes.copied(range))
            case FieldNumber.isOptional where range.isEmpty: isOptional = true
            case FieldNumber.defaultValue:
                guard let start = range.first else { return nil }
                if bytes[start] > ValueTag.lastPossible {
                    hasLaterDefault = true
                    return false
                }
                guard
                    let value = ValueDecoding.value(
                        tag: bytes[start], in: bytes, (start + 1)..<range.upperBound, types)
                else { return nil }
                recordedDefault = value
            case FieldNumber.formerName: formerNames.append(bytes.text(in: range))
            case FieldNumber.isOptional: return nil
            case FieldNumber.exact: exact = TagSet(bytes.copied(range))
            default: return false
            }
            return true
        }
        guard isSound, let name else { return nil }
        // Items without a field have the default as their value, and cannot be read without it.
        if hasLaterDefault { unknown.forbidReading() }
        self.init(
            name: name, formerNames: formerNames, kinds: kinds, recordedDefault: recordedDefault,
            isOptional: isOptional, tags: tags, exact: exact.known, unknown: unknown)
    }
}

extension Catalog {
    /// The catalog of the state that a reader sees.
    ///
    /// A damaged or missing entry affects its own type only.
    init(reading reader: any KeyValueReader, version: UInt64) throws(DataStoreError) {
        var read = Catalog()
        read.version = version
        var entries: [(number: UInt32, bytes: [UInt8])] = []
        // Numbers without an entry.
        var gaps: [ClosedRange<UInt32>] = []
        // All keys come first, because an entry may refer to types that follow it.
        try reader.scan(KeyRange(prefix: [KeySpace.catalogTag]), reversed: false) {
            (key, value) throws(DataStoreError) in
            let number = key.word32(at: 1).byteSwapped
            guard key.count == 5, number >= read.nextNumber else {
                read.note(CatalogDamage(name: "a key of \(key.count) bytes", key: nil))
                return .next
            }
            if read.nextNumber < number { gaps.append(read.nextNumber...number - 1) }
            read.reserve(number)
            if let found = CatalogType.key(number: number, in: value) {
                read.names.note(found.key, for: number)
            }
            entries.append((number, value.copied()))
            return .next
        }
        let types = BlockCatalog(read)
        for (number, bytes) in entries {
            if let type = CatalogType(number: number, decoding: bytes.span, types) {
                read.put(type)
            } else {
                let key = CatalogType.key(number: number, in: bytes.span)?.key
                read.note(CatalogDamage(name: "type \(number)", key: key))
            }
        }
        // After the last entry there may be items or counts of types whose entries are missing.
        for tag in [KeySpace.counterTag, KeySpace.recordTag] {
            try reader.scanKeys(KeyRange(prefix: [tag]), reversed: true) {
                (key) throws(DataStoreError) in
                let number = key.word32(at: 1).byteSwapped
                if number >= read.nextNumber {
                    gaps.append(read.nextNumber...number)
                    read.reserve(number)
                }
                return .stop
            }
        }
        for gap in gaps { try read.noteMissing(in: gap, reader) }
        self = read
    }

    /// Notes the numbers without an entry that have items or a count: a type that has neither is not missing.
    private mutating func noteMissing(
        in gap: ClosedRange<UInt32>, _ reader: any KeyValueReader
    ) throws(DataStoreError) {
        var used: [UInt32] = []
        for tag in [KeySpace.counterTag, KeySpace.recordTag] {
            let keys = KeyRange(
                from: KeySpace.key(tag, type: gap.lowerBound),
                upTo: KeySpace.key(tag, type: gap.upperBound) + [UInt8](repeating: 0xFF, count: 17))
            for reversed in [false, true] {
                try reader.scanKeys(keys, reversed: reversed) { (key) throws(DataStoreError) in
                    used.append(key.word32(at: 1).byteSwapped)
                    return .stop
                }
            }
        }
        guard let first = used.min(), let last = used.max() else { return }
        let name = first == last ? "type \(first)" : "types \(first) to \(last)"
        note(CatalogDamage(name: name, key: nil))
    }
}
