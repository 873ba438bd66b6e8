import Foundation
import JustPersist

/// The rows of a sorted query, of which no more than twice the needed ones are kept.
struct SortedRows {
    struct Row {
        let id: ItemID
        /// What decides first.
        let key: DataStoreValue
        /// What decides where the rows before are equal.
        let otherKeys: [DataStoreValue]
        let record: [UInt8]
    }

    private let ascending: [Bool]
    private let needed: Int
    private let capacity: Int
    private var rows: [Row] = []
    /// A row that is not before this one is not needed.
    private var bound: Row? {
        didSet { boundWord = bound?.key.word }
    }
    /// The first key of that row, if it is a value of 8 bytes.
    private var boundWord: (tag: UInt8, bits: UInt64)?

    /// Rows sorted by keys, each in its direction, of which the first `needed` count.
    init(by ascending: [Bool], needed: Int?) {
        self.ascending = ascending
        self.needed = needed ?? .max
        capacity = self.needed > .max / 2 ? .max : max(256, self.needed * 2)
    }

    /// Whether a row with that first key may be needed.
    @inline(__always)
    func mayNeed(_ key: DataStoreValue) -> Bool {
        guard let bound else { return true }
        return Self.precedes(key, bound.key, ascending[0]) ?? true
    }

    /// Whether a row is known not to be needed whose first key is a value of 8 bytes with that tag.
    @inline(__always)
    func leavesOut(tag: UInt8, bits: UInt64) -> Bool {
        guard let boundWord, boundWord.tag == tag else { return false }
        if tag == ValueTag.int {
            let (key, bound) = (Int64(bitPattern: bits), Int64(bitPattern: boundWord.bits))
            return ascending[0] ? key > bound : key < bound
        }
        let (key, bound) = (Double(bitPattern: bits), Double(bitPattern: boundWord.bits))
        return ascending[0] ? key > bound : key < bound
    }

    /// Takes a row in, or leaves it out if it is known not to be needed.
    mutating func add(_ row: consuming Row) {
        if let bound, !Self.precedes(row, bound, ascending) { return }
        rows.append(row)
        if rows.count >= capacity {
            cut()
            bound = rows.last
        }
    }

    /// The rows in order.
    consuming func sorted() -> [Row] {
        cut()
        return rows
    }

    private mutating func cut() {
        let ascending = ascending
        rows.sort { Self.precedes($0, $1, ascending) }
        if rows.count > needed { rows.removeLast(rows.count - needed) }
    }

    /// Ties are in the order of creation, in either direction of the keys.
    private static func precedes(_ a: Row, _ b: Row, _ ascending: [Bool]) -> Bool {
        if let precedes = precedes(a.key, b.key, ascending[0]) { return precedes }
        for index in a.otherKeys.indices {
            let keys = (a.otherKeys[index], b.otherKeys[index])
            if let precedes = precedes(keys.0, keys.1, ascending[index + 1]) { return precedes }
        }
        return a.id < b.id
    }

    /// Whether a key comes before another; `nil` if they do not differ.
    @inline(__always)
    private static func precedes(
        _ a: DataStoreValue, _ b: DataStoreValue, _ ascending: Bool
    ) -> Bool? {
        switch a.sortOrder(against: b) {
        case .same: nil
        case .ascending: ascending
        case .descending: !ascending
        }
    }
}

extension DataStoreValue {
    /// The tag and the bits of a value of 8 bytes.
    fileprivate var word: (tag: UInt8, bits: UInt64)? {
        switch self {
        case .int(let value): (ValueTag.int, UInt64(bitPattern: value))
        case .double(let value): (ValueTag.double, value.bitPattern)
        case .date(let value): (ValueTag.date, value.timeIntervalSinceReferenceDate.bitPattern)
        default: nil
        }
    }
}
