import Foundation

extension DataStoreValue {
    /// Whether a request considers both values equal.
    ///
    /// Numbers are equal by exact value across Int, Double, Decimal and Bool (as 0 and 1): 2^53 + 1 is not its nearest
    /// Double. NaN equals nothing, not even itself. Strings are equal when they are canonically equivalent, as in
    /// Swift's `==`. URLs are equal when their absolute texts are. Arrays and dictionaries are equal when their parts
    /// are. Null equals null. Values of other kinds are never equal.
    public func isEqual(to other: DataStoreValue) -> Bool {
        switch (self, other) {
        case (.null, .null): return true
        // Texts that are not equal in Swift differ in their order, too.
        case (.string(let a), .string(let b)): return a == b
        case (.int(let a), .int(let b)): return a == b
        case (.reference(let a), .reference(let b)): return a == b
        case (.array(let a), .array(let b)):
            return a.count == b.count && zip(a, b).allSatisfy { $0.isEqual(to: $1) }
        case (.dictionary(let a), .dictionary(let b)):
            return a.count == b.count
                && a.allSatisfy { key, value in b[key].map(value.isEqual(to:)) ?? false }
        default: return order(against: other) == .same
        }
    }

    /// The order of this value relative to another in a request's `<` or `>`; `nil` if the two have no order.
    ///
    /// Numbers are ordered by exact value, strings by the Unicode scalars of their composed form, dates by time, data
    /// and UUIDs by their bytes, URLs by their absolute text. Values of other kinds, null, NaN, references and
    /// collections have no order.
    public func order(against other: DataStoreValue) -> ValueOrder? {
        if let a = ExactNumber(self), let b = ExactNumber(other) { return a.order(against: b) }
        switch (self, other) {
        case (.string(let a), .string(let b)): return ValueOrder(a, b)
        case (.date(let a), .date(let b)):
            return DataStoreValue.double(a.timeIntervalSinceReferenceDate)
                .order(against: .double(b.timeIntervalSinceReferenceDate))
        case (.data(let a), .data(let b)): return Self.order(a, b, ValueOrder.init)
        case (.uuid(let a), .uuid(let b)): return ValueOrder(ItemID(a), ItemID(b))
        case (.url(let a), .url(let b)): return ValueOrder(a.absoluteString, b.absoluteString)
        default: return nil
        }
    }

    /// The order of this value relative to another in a sorted list: a total order over all kinds.
    ///
    /// Null comes first, then numbers (NaN last among them), strings, dates, data, UUIDs, URLs, references (by type,
    /// then id), arrays (part by part) and dictionaries (by their sorted names and the values of these). The two
    /// orders agree wherever ``order(against:)`` is not nil.
    public func sortOrder(against other: DataStoreValue) -> ValueOrder {
        if let order = order(against: other) { return order }
        switch (self, other) {
        case (.reference(let a), .reference(let b)):
            let types = ValueOrder(a.itemTypeKey, b.itemTypeKey)
            return types == .same ? ValueOrder(a.id, b.id) : types
        case (.array(let a), .array(let b)):
            return Self.order(a, b) { $0.sortOrder(against: $1) }
        case (.dictionary(let a), .dictionary(let b)):
            let parts = [a, b].map { entries in
                entries.sorted { ValueOrder($0.key, $1.key) == .ascending }
            }
            return Self.order(parts[0], parts[1]) {
                let names = ValueOrder($0.key, $1.key)
                return names == .same ? $0.value.sortOrder(against: $1.value) : names
            }
        default:
            let ranks = ValueOrder(sortRank, other.sortRank)
            return ranks == .same ? ValueOrder(isNaN ? 1 : 0, other.isNaN ? 1 : 0) : ranks
        }
    }

    /// Orders two lists by their first differing parts; a prefix comes before its continuations.
    private static func order<List: Collection>(
        _ first: List, _ second: List, _ partOrder: (List.Element, List.Element) -> ValueOrder
    ) -> ValueOrder {
        for (a, b) in zip(first, second) {
            let order = partOrder(a, b)
            if order != .same { return order }
        }
        return ValueOrder(first.count, second.count)
    }

    private var sortRank: Int {
        switch self {
        case .null: 0
        case .bool, .int, .double, .decimal: 1
        case .string: 2
        case .date: 3
        case .data: 4
        case .uuid: 5
        case .url: 6
        case .reference: 7
        case .array: 8
        case .dictionary: 9
        }
    }

    private var isNaN: Bool {
        if case .date(let date) = self { return date.timeIntervalSinceReferenceDate.isNaN }
        return ExactNumber(self)?.isNaN ?? false
    }
}
