import Foundation
package import JustPersist

/// Compares values: equality and order in conditions, and the total order of sorted lists.
package enum ReferenceOrder {
    /// Whether a request considers both values equal.
    package static func isEqual(_ a: DataStoreValue, _ b: DataStoreValue) -> Bool {
        switch (a, b) {
        case (.null, .null): return true
        case (.reference(let a), .reference(let b)): return a == b
        case (.array(let a), .array(let b)):
            return a.count == b.count && zip(a, b).allSatisfy { isEqual($0, $1) }
        case (.dictionary(let a), .dictionary(let b)):
            guard a.count == b.count else { return false }
            return a.allSatisfy { name, value in b[name].map { isEqual(value, $0) } ?? false }
        default: return order(a, b) == .same
        }
    }

    /// The order of two values in a condition; `nil` if they have no order: different kinds, null, NaN, references and
    /// collections.
    package static func order(_ a: DataStoreValue, _ b: DataStoreValue) -> ValueOrder? {
        switch (a, b) {
        case (.int(let a), .int(let b)):
            return a < b ? .ascending : a > b ? .descending : .same
        case (.double(let a), .double(let b)): return order(a, b)
        case (.string(let a), .string(let b)): return ReferenceText.order(a, b)
        case (.date(let a), .date(let b)):
            return order(a.timeIntervalSinceReferenceDate, b.timeIntervalSinceReferenceDate)
        case (.data(let a), .data(let b)): return order(bytes: Array(a), Array(b))
        case (.uuid(let a), .uuid(let b)): return order(ItemID(a), ItemID(b))
        case (.url(let a), .url(let b)):
            return ReferenceText.order(a.absoluteString, b.absoluteString)
        default: break
        }
        guard rank(a) == numberRank, rank(b) == numberRank, let a = ReferenceNumber(a),
            let b = ReferenceNumber(b)
        else { return nil }
        return a.order(against: b)
    }

    /// The order of two values in a sorted list: nil, numbers, strings, dates, data, UUIDs, URLs, references, arrays,
    /// dictionaries.
    ///
    /// NaN is the last of the numbers, and of the dates.
    package static func sortOrder(_ a: DataStoreValue, _ b: DataStoreValue) -> ValueOrder {
        if let order = order(a, b) { return order }
        let (aRank, bRank) = (rank(a), rank(b))
        if aRank != bRank { return aRank < bRank ? .ascending : .descending }
        switch (a, b) {
        case (.reference(let a), .reference(let b)):
            let types = ReferenceText.order(a.itemTypeKey, b.itemTypeKey)
            return types == .same ? order(a.id, b.id) : types
        case (.array(let a), .array(let b)): return order(a, b, by: sortOrder)
        case (.dictionary(let a), .dictionary(let b)):
            return order(sorted(a), sorted(b)) { a, b in
                let names = ReferenceText.order(a.key, b.key)
                return names == .same ? sortOrder(a.value, b.value) : names
            }
        default: break
        }
        if isNaN(a) == isNaN(b) { return .same }
        return isNaN(b) ? .ascending : .descending
    }

    private static let numberRank = 1

    private static func rank(_ value: DataStoreValue) -> Int {
        switch value {
        case .null: 0
        case .bool, .int, .double, .decimal: numberRank
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

    private static func isNaN(_ value: DataStoreValue) -> Bool {
        if case .date(let date) = value { return date.timeIntervalSinceReferenceDate.isNaN }
        return ReferenceNumber(value)?.isNaN ?? false
    }

    private static func sorted(
        _ entries: [String: DataStoreValue]
    ) -> [(key: String, value: DataStoreValue)] {
        entries.sorted { ReferenceText.order($0.key, $1.key) == .ascending }
    }

    private static func order(_ a: Double, _ b: Double) -> ValueOrder? {
        a < b ? .ascending : a > b ? .descending : a == b ? .same : nil
    }

    private static func order(_ a: ItemID, _ b: ItemID) -> ValueOrder {
        a < b ? .ascending : b < a ? .descending : .same
    }

    private static func order(bytes a: [UInt8], _ b: [UInt8]) -> ValueOrder {
        order(a, b) { $0 < $1 ? .ascending : $0 > $1 ? .descending : .same }
    }

    /// Orders two lists by their first different elements.
    ///
    /// A prefix comes before the longer list.
    private static func order<Part>(
        _ a: [Part], _ b: [Part], by partOrder: (Part, Part) -> ValueOrder
    ) -> ValueOrder {
        for (a, b) in zip(a, b) {
            let order = partOrder(a, b)
            if order != .same { return order }
        }
        return a.count < b.count ? .ascending : a.count > b.count ? .descending : .same
    }
}
