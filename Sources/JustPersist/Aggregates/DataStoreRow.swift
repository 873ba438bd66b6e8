/// One row of an aggregation: the keys of a group, and its aggregates.
///
/// A row is a value and can be used after its block has ended.
///
/// ```swift
/// let rows = try store.read { db in
///     try db.groups(of: Restaurant.self, by: \.borough, computing: .count, .average(\.stars))
/// }
/// for row in rows { print(row) }  // borough: "Queens", count: 12, average.stars: 3.5
/// ```
public struct DataStoreRow: Sendable, Hashable {
    /// The names of the columns.
    public let columns: [String]
    /// The values of the columns.
    public let values: [DataStoreValue]

    /// A row with a value for each column.
    public init(columns: [String], values: [DataStoreValue]) {
        self.columns = columns
        self.values = values
    }

    /// The value in a column; null if there is no such column.
    public subscript(column: String) -> DataStoreValue {
        columns.firstIndex(of: column).map { values[$0] } ?? .null
    }

    /// The number of items in the group, if the aggregation has ``DataStoreAggregate/count``; 0 if not.
    public var count: Int {
        if case .int(let count) = self["count"] { Int(count) } else { 0 }
    }

    /// The value in a column as a Swift type; `nil` if it is null.
    ///
    /// - Throws: `.unknownAttribute` if there is no such column, `.kindMismatch` if the value is of another type.
    public func value<Value: AttributeValue>(
        _ column: String, as type: Value.Type = Value.self
    ) throws(DataStoreError) -> Value? {
        guard columns.contains(column) else { throw .unknownColumn(column, among: columns) }
        let stored = self[column]
        if stored.isNull { return nil }
        if let value = Value(stored) { return value }
        throw DataStoreError(
            .kindMismatch, in: "value",
            "The column “\(column)” holds the \(stored.kind) \(stored), which is no \(type).",
            attribute: column)
    }
}

extension DataStoreRow: CustomStringConvertible {
    /// The columns with their values: `cuisine: "Thai", count: 3`.
    public var description: String {
        zip(columns, values).map { "\($0.printable): \($1)" }.joined(separator: ", ")
    }
}

extension DataStoreError {
    /// The refusal of a column that rows do not have.
    static func unknownColumn(
        _ name: String, among columns: [String], itemType: String? = nil
    ) -> DataStoreError {
        let near = columns.filter { name.isNear($0) }
        let advice =
            near.isEmpty ? "Their columns are \(columns.listed)." : "Did you mean \(near.listed)?"
        return DataStoreError(
            .unknownAttribute, in: "aggregate",
            "The rows have no column “\(name)”. \(advice)",
            itemType: itemType, attribute: name)
    }
}
