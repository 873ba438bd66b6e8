import JustPersist

/// The stored number of a value's kind.
///
/// The numbers are a part of the file format, and their meaning never changes.
///
/// Truth values are tags without payload. A text whose scalars are all below U+0300 has a tag of its own
/// (``plainText``): it is its own NFC form, so two such texts compare as their bytes do.
enum ValueTag {
    static let null: UInt8 = 0
    static let no: UInt8 = 1
    static let yes: UInt8 = 2
    static let int: UInt8 = 3
    static let double: UInt8 = 4
    static let plainText: UInt8 = 5
    static let text: UInt8 = 6
    static let date: UInt8 = 7
    static let data: UInt8 = 8
    static let uuid: UInt8 = 9
    static let decimal: UInt8 = 10
    static let url: UInt8 = 11
    static let reference: UInt8 = 12
    static let array: UInt8 = 13
    static let dictionary: UInt8 = 14
    /// The greatest tag that fits a narrow table; never stored.
    ///
    /// Greater tags belong to later releases.
    static let lastPossible: UInt8 = 15

    /// The length of the payload, if the tag determines it.
    static func fixedLength(of tag: UInt8) -> Int? {
        switch tag {
        case null, no, yes: 0
        case int, double, date: 8
        case uuid: 16
        case reference: 20
        default: nil
        }
    }

    /// The tag of a text whose greatest byte is `greatest`.
    ///
    /// 0xCC is the first byte of U+0300 in UTF-8, and no greater scalar begins with a smaller byte.
    static func tag(ofTextWith greatest: UInt8) -> UInt8 { greatest < 0xCC ? plainText : text }

    /// The tags of values of these kinds, a bit for each.
    static func bits(of kinds: Set<DataStoreValue.Kind>) -> UInt16 {
        var bits: UInt16 = 0
        for tag in null...dictionary {
            if let kind = kind(of: tag), kinds.contains(kind) { bits |= 1 << UInt16(tag) }
        }
        return bits
    }

    /// The tags of values of other kinds that each convert exactly to one of these kinds, and of those of which only some
    /// do.
    static func convertible(to kinds: Set<DataStoreValue.Kind>) -> (all: UInt16, some: UInt16) {
        var (all, some): (Set<DataStoreValue.Kind>, Set<DataStoreValue.Kind>) = ([], [])
        if kinds.contains(.int) {
            all.insert(.bool)
            some.insert(.double)
        }
        if kinds.contains(.double) { some.insert(.int) }
        if kinds.contains(.decimal) { all.insert(.int) }
        return (bits(of: all), bits(of: some.subtracting(all)))
    }

    /// The kinds of the values that have one of these tags.
    static func kinds(in bits: UInt16) -> Set<DataStoreValue.Kind> {
        Set((null...dictionary).filter { bits & 1 << UInt16($0) != 0 }.compactMap(kind(of:)))
    }

    /// The tag of a kind, or one of its tags if it has several.
    @inline(__always)
    static func tag(of kind: DataStoreValue.Kind) -> UInt8 {
        switch kind {
        case .null: null
        case .bool: yes
        case .int: int
        case .double: double
        case .string: text
        case .date: date
        case .data: data
        case .uuid: uuid
        case .decimal: decimal
        case .url: url
        case .reference: reference
        case .array: array
        case .dictionary: dictionary
        }
    }

    /// The kind of a tag; `nil` for a number without a meaning.
    static func kind(of tag: UInt8) -> DataStoreValue.Kind? {
        switch tag {
        case null: .null
        case no, yes: .bool
        case int: .int
        case double: .double
        case plainText, text: .string
        case date: .date
        case data: .data
        case uuid: .uuid
        case decimal: .decimal
        case url: .url
        case reference: .reference
        case array: .array
        case dictionary: .dictionary
        default: nil
        }
    }
}
