import JustPersist

/// The rows of a sorted query, of which no more than twice the needed ones are kept.
struct SortedRows {
    struct Row {
        let id: ItemID
        let keys: [DataStoreValue]
        let record: [UInt8]
    }

    private let ascending: [Bool]
    private let needed: Int
    private let capacity: Int
    private var rows: [Row] = []
    /// A row that is not before this one is not needed.
    private var bound: Row?

    /// Rows sorted by keys, each in its direction, of which the first `needed` count.
    init(by ascending: [Bool], needed: Int?) {
        self.ascending = ascending
        self.needed = needed ?? .max
        capacity = self.needed > .max / 2 ? .max : max(1024, self.needed * 2)
    }

    /// Takes a row in, or leaves it out if it is known not to be needed.
    mutating func add(id: ItemID, keys: [DataStoreValue], record: Span<UInt8>) {
        if let bound, !Self.precedes(keys, id, bound.keys, bound.id, ascending) { return }
        rows.append(Row(id: id, keys: keys, record: record.copied()))
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
        rows.sort { Self.precedes($0.keys, $0.id, $1.keys, $1.id, ascending) }
        if rows.count > needed { rows.removeLast(rows.count - needed) }
    }

    /// Ties are in the order of creation, in either direction of the keys.
    private static func precedes(
        _ a: [DataStoreValue], _ aID: ItemID, _ b: [DataStoreValue], _ bID: ItemID,
        _ ascending: [Bool]
    ) -> Bool {
        for index in ascending.indices {
            switch a[index].sortOrder(against: b[index]) {
            case .same: continue
            case .ascending: return ascending[index]
            case .descending: return !ascending[index]
            }
        }
        return aID < bID
    }
}
