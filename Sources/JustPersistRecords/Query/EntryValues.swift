import Foundation
import JustPersist

/// Components of an index whose values are read from the entries.
struct EntryValues {
    let ranges: IndexRanges
    /// The bytes of the keys before these components.
    let prefix: [UInt8]
    private let components: [TypeIndex.Component]
    /// Whether further components follow these, so that the ids of items with equal values are not sorted.
    let isFollowed: Bool
    private let type: BlockType

    /// The components of these attributes; `nil` unless all components before them have one fixed value and their
    /// entries have the order of the values.
    init?(_ attributes: [UInt16], in ranges: IndexRanges, of type: BlockType) {
        let index = ranges.index
        let skipped = (0...ranges.fixedCount).first { skipped in
            skipped + attributes.count <= index.components.count
                && attributes.indices.allSatisfy { place in
                    let component = index.components[skipped + place]
                    return component.attribute.id == attributes[place] && component.path.isEmpty
                        && index.hasOrder(of: component, .scalars, in: type)
                }
        }
        guard let skipped, let lane = ranges.lanes(ofComponents: skipped).first else { return nil }
        self.ranges = ranges
        self.type = type
        prefix = lane.prefix
        components = Array(index.components[skipped..<(skipped + attributes.count)])
        isFollowed = skipped + attributes.count < index.components.count
    }

    /// The attributes of the components.
    var attributes: [QueryAttribute] { components.map(\.attribute) }

    /// Where the components end in an entry's key, and whether no other values have the same key.
    func end(in key: Span<UInt8>) throws(DataStoreError) -> (end: Int, isExact: Bool) {
        var offset = prefix.count
        var isExact = true
        for _ in components {
            guard let (end, precision) = IndexKey.component(in: key, at: offset) else {
                throw .misplacedKey(key, ofType: type.itemType.key)
            }
            offset = end
            if precision == .cut { isExact = false }
        }
        return (offset, isExact)
    }

    /// The values in an entry's key; `nil` if only the record has the exact values.
    func values(in key: Span<UInt8>) -> [DataStoreValue]? {
        var values: [DataStoreValue] = []
        var offset = prefix.count
        for component in components {
            guard let (end, precision) = IndexKey.component(in: key, at: offset),
                precision == .exact,
                let value = value(of: component, in: key, offset..<end)
            else { return nil }
            values.append(value)
            offset = end
        }
        return values
    }

    /// The value of the items, if its kind and its bits are certain.
    private func value(
        of component: TypeIndex.Component, in key: Span<UInt8>, _ range: Range<Int>
    ) -> DataStoreValue? {
        let attribute = component.attribute
        guard let id = attribute.id else { return nil }
        /// Whether all values have this tag, of the tags whose entries look alike, and are read as they are stored.
        func areAll(_ tag: UInt8, among tags: UInt16) -> Bool {
            attribute.isPlain(tag: tag) && !type.mayHave(tags: tags & ~(1 << UInt16(tag)), id)
        }
        let start = range.lowerBound + 1
        switch key[range.lowerBound] {
        case IndexKey.null: return .null
        case IndexKey.number:
            guard let number = IndexKey.double(key.word64(at: start).byteSwapped) else {
                return nil
            }
            if areAll(ValueTag.int, among: Self.numbers) {
                return Int64(exactly: number).map { .int($0) }
            }
            // 0.0 and -0.0 have the same entry.
            return number != 0 && areAll(ValueTag.double, among: Self.numbers)
                ? .double(number) : nil
        case IndexKey.text:
            guard attribute.isPlain(tag: ValueTag.plainText), !type.mayHaveComposed(id) else {
                return nil
            }
            var bytes: [UInt8] = []
            var place = start
            while place < range.upperBound - 2 {
                bytes.append(key[place])
                place += key[place] == 0 ? 2 : 1
            }
            return .string(String(decoding: bytes, as: UTF8.self))
        case IndexKey.date:
            guard let seconds = IndexKey.double(key.word64(at: start).byteSwapped), seconds != 0,
                attribute.isPlain(tag: ValueTag.date)
            else { return nil }
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        default: return nil
        }
    }

    private static let numbers = ValueTag.bits(of: [.bool, .int, .double, .decimal])
}

extension IndexKey {
    /// The Double with these ordered bits; `nil` for NaN.
    fileprivate static func double(_ ordered: UInt64) -> Double? {
        let value = Double(bitPattern: ordered >> 63 == 1 ? ordered & ~(1 << 63) : ~ordered)
        return ordered == .max || value.isNaN ? nil : value
    }
}
