import Foundation
import JustPersist

/// The rows of a sorted query.
///
/// It keeps fewer than twice as many as are needed, or fewer than 256.
struct SortedRows {
    struct Row {
        let id: ItemID
        /// The first sort key: the item's value as the descriptor converts it.
        let key: DataStoreValue
        /// The remaining sort keys, which decide between rows with equal first keys.
        let otherKeys: [DataStoreValue]
        let record: [UInt8]
    }

    private let order: [DataStoreSortDescriptor]
    private let needed: Int
    private let capacity: Int
    private var rows: [Row] = []
    /// A row that does not sort before this one is not needed.
    private var bound: Row? {
        didSet { boundWord = bound?.key.word }
    }
    /// The first key of this row, if it is an 8-byte value.
    private var boundWord: (tag: UInt8, bits: UInt64)?

    /// Rows sorted by keys, of which the first `needed` are wanted.
    init(by order: [DataStoreSortDescriptor], needed: Int?) {
        self.order = order
        self.needed = needed ?? .max
        capacity = self.needed > .max / 2 ? .max : max(256, self.needed * 2)
    }

    /// Whether a row with this first key may be needed.
    @inline(__always)
    func mayNeed(_ key: DataStoreValue) -> Bool {
        guard let bound else { return true }
        return order[0].precedes(key, bound.key) ?? true
    }

    /// Whether a row whose first key is an 8-byte value with this tag is known not to be needed.
    @inline(__always)
    func leavesOut(tag: UInt8, bits: UInt64) -> Bool {
        guard let boundWord, boundWord.tag == tag else { return false }
        if tag == ValueTag.int {
            let (key, bound) = (Int64(bitPattern: bits), Int64(bitPattern: boundWord.bits))
            return order[0].ascending ? key > bound : key < bound
        }
        let (key, bound) = (Double(bitPattern: bits), Double(bitPattern: boundWord.bits))
        return order[0].ascending ? key > bound : key < bound
    }

    /// Adds a row, or leaves it out if it is known not to be needed.
    mutating func add(_ row: consuming Row) throws(DataStoreError) {
        if let bound, !Self.precedes(row, bound, order) { return }
        rows.append(row)
        if rows.count >= capacity {
            try cut()
            bound = rows.last
        }
    }

    /// The rows in order.
    consuming func sorted() throws(DataStoreError) -> [Row] {
        try cut()
        return rows
    }

    private mutating func cut() throws(DataStoreError) {
        let order = order
        try rows.sortWithinLimits { Self.precedes($0, $1, order) }
        if rows.count > needed { rows.removeLast(rows.count - needed) }
    }

    /// Ties are in the order of creation, whether the keys are ascending or descending.
    private static func precedes(
        _ a: Row, _ b: Row, _ order: [DataStoreSortDescriptor]
    ) -> Bool {
        if let precedes = order[0].precedes(a.key, b.key) { return precedes }
        for index in a.otherKeys.indices {
            let (first, second) = (a.otherKeys[index], b.otherKeys[index])
            if let precedes = order[index + 1].precedes(first, second) { return precedes }
        }
        return a.id < b.id
    }
}

extension DataStoreValue {
    /// The tag and the bits of an 8-byte value; `nil` for any other value.
    fileprivate var word: (tag: UInt8, bits: UInt64)? {
        switch self {
        case .int(let value): (ValueTag.int, UInt64(bitPattern: value))
        case .double(let value): (ValueTag.double, value.bitPattern)
        case .date(let value): (ValueTag.date, value.timeIntervalSinceReferenceDate.bitPattern)
        default: nil
        }
    }
}
