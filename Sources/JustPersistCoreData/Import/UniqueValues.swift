import Foundation
import JustPersist

/// The rows that have each of the values that are declared unique.
struct UniqueValues {
    let indexes: [IndexSchema]
    /// The first row with the values of each index.
    private var owners: [[[DataStoreValue]: Int64]]
    /// The rows that agree with another one, by the first of them, for each index.
    private var others: [[Int64: [Int64]]]

    init(_ indexes: [IndexSchema]) {
        self.indexes = indexes
        owners = Array(repeating: [:], count: indexes.count)
        others = Array(repeating: [:], count: indexes.count)
    }

    /// Adds a row.
    mutating func add(_ row: Int64, _ value: (String) -> DataStoreValue) {
        for (place, index) in indexes.enumerated() {
            guard let key = Self.key(index, value) else { continue }
            if let owner = owners[place][key] {
                others[place][owner, default: [owner]].append(row)
            } else {
                owners[place][key] = row
            }
        }
    }

    /// The indexes that rows do not keep, and these rows: those that agree with each other are adjacent.
    var agreements: [(index: IndexSchema, rows: [Int64])] {
        zip(indexes, others).filter { !$1.isEmpty }.map { index, groups in
            (index, groups.sorted { $0.key < $1.key }.flatMap(\.value))
        }
    }

    /// The row with values of one of the indexes.
    func owner(at place: Int, _ value: (String) -> DataStoreValue) -> Int64? {
        Self.key(indexes[place], value).flatMap { owners[place][$0] }
    }

    /// Values in a form that is one for all that a store considers equal; `nil` if they agree with no others.
    private static func key(
        _ index: IndexSchema, _ value: (String) -> DataStoreValue
    ) -> [DataStoreValue]? {
        var key: [DataStoreValue] = []
        for name in index.attributes {
            switch value(name) {
            case .null, .array, .dictionary: return nil
            case .bool(let value): key.append(.int(value ? 1 : 0))
            case .double(let value) where value.isNaN: return nil
            case .double(let value):
                key.append(Int64(exactly: value).map { .int($0) } ?? .double(value))
            case .decimal(let value) where value.isNaN: return nil
            case .decimal(let value):
                key.append(Int64("\(value)").map { .int($0) } ?? .decimal(value))
            case .string(let text):
                let order = index.ignoresCase ? TextOrder.caseInsensitive : .scalars
                guard case .string(let text) = order.key(.string(text)) else { return nil }
                key.append(.string(text.composed))
            case let value: key.append(value)
            }
        }
        return key
    }
}

extension Sequence<Int64> {
    /// The names of rows by their keys, as the URIs of their objects have them.
    var rowNames: String { map { "p\($0)" }.joined(separator: ", ") }
}
