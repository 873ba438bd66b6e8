/// One value computed from many items: their number, or the sum, average, minimum or maximum of an attribute.
///
/// ```swift
/// let request = DataStoreRequest(itemTypeKey: "Restaurant")
/// let rows = try db.aggregate(
///     request, DataStoreAggregation(groupedBy: ["borough"], [.count, .average("stars")]))
/// ```
///
/// Values that are nil are left out, as SQL's aggregate functions do: the average of 4, nil and 2 is 3. (Inside a
/// predicate, `@avg` and `average:` compute over the elements of one item's array and count nil as 0, as key-value
/// coding does.) With no values at all, ``Function/count`` and ``Function/sum`` are 0, as `@sum` of key-value coding is
/// (SQL returns NULL), and the other functions are nil.
public struct DataStoreAggregate: Sendable, Hashable {
    /// The function to compute.
    public enum Function: String, Sendable, Hashable, CaseIterable, Codable {
        /// The number of items, or of the values that are not nil.
        case count
        /// The sum of the values.
        ///
        /// Only numbers can be added, and truth values as 0 and 1; other values throw
        /// ``DataStoreError/Code/invalidRequest``. Whole numbers are added exactly; a sum that does not fit into 64
        /// bits is a Decimal. If there are Decimals, the sum is a Decimal of up to 38 digits. If there are Doubles, the
        /// sum is a Double: the exact sum, rounded once, independent of the order of the items; the sum of the Decimals
        /// counts as its nearest Double, and a Decimal with an exponent beyond ±40 counts as its own nearest Double.
        /// One NaN makes the sum NaN, and so do infinities of both signs.
        case sum
        /// The sum divided by the number of the values.
        ///
        /// A Double; a Decimal if there are Decimals and no Doubles among the values.
        case average
        /// The value that a sort in ascending order puts first.
        ///
        /// Values of any kind are compared in the order of sorting: numbers before texts, NaN after all other numbers,
        /// texts by their Unicode scalars. Among equal values, such as 1 and 1.0, the value of the item that was
        /// created first is returned.
        case minimum = "min"
        /// The value that a sort in descending order puts first.
        case maximum = "max"
    }

    /// The function.
    public let function: Function
    /// The attribute, a key path with dots into dictionaries and along references, or any predicate expression.
    ///
    /// `nil` counts the items. A path through an array is refused, because an item has several values there, unless an
    /// operator computes one, as in `grades.@sum.score`.
    public let key: String?
    /// The name of the result column.
    ///
    /// `count`, or the function and the key: `count.stars`, `sum.stars`, `average.stars`, `min.stars`, `max.address.zip`.
    public let name: String

    private init(_ function: Function, _ key: String?, name: String? = nil) {
        self.function = function
        self.key = key
        self.name = name ?? (key.map { "\(function.rawValue).\($0)" } ?? function.rawValue)
    }

    /// The number of items; the column is named `count`.
    public static let count = DataStoreAggregate(.count, nil)

    /// A function of the values at an attribute, or at a key path with dots.
    public init(_ function: Function, of key: String) { self.init(function, key, name: nil) }

    /// The number of items that have a value there.
    public static func count(_ key: String) -> Self { Self(.count, of: key) }

    /// The sum of the values there.
    public static func sum(_ key: String) -> Self { Self(.sum, of: key) }

    /// The average of the values there.
    public static func average(_ key: String) -> Self { Self(.average, of: key) }

    /// The smallest value there.
    public static func min(_ key: String) -> Self { Self(.minimum, of: key) }

    /// The greatest value there.
    public static func max(_ key: String) -> Self { Self(.maximum, of: key) }

    /// This aggregate with another column name.
    public func named(_ name: String) -> Self { Self(function, key, name: name) }
}

/// A grouping of the items of a request, and the aggregates to compute for each group.
///
/// The request's predicate selects the items. Its sort, offset and limit apply to the rows, one for each group, as
/// SQL's `ORDER BY` and `LIMIT` do: a sort descriptor names a column. Without a sort, the rows are in the order of
/// their keys.
public struct DataStoreAggregation: Sendable, Hashable {
    /// The attributes, key paths with dots or predicate expressions to group by; each is a column of that name.
    ///
    /// Items are in one group if a predicate finds their values equal: 1 and 1.0, and texts that are canonically
    /// equivalent. nil is a value like any other here, and so is an array: items with equal arrays are in one group.
    /// All NaN are in one group. The row shows the values of the item that was created first. A key path through an
    /// array is refused, as in a sort. Without keys there is one group of all items, even if there are none.
    public var keys: [String]
    /// The aggregates of each group, a column each; without any, the rows are the distinct values of the keys.
    public var aggregates: [DataStoreAggregate]
    /// The condition that a group has to fulfil: a predicate that names columns.
    ///
    /// For example `count > 10 AND average.stars >= 4`.
    public var having: DataStorePredicate?

    /// An aggregation of the groups that the keys form.
    public init(
        groupedBy keys: [String] = [], _ aggregates: [DataStoreAggregate],
        having: DataStorePredicate? = nil
    ) {
        self.keys = keys
        self.aggregates = aggregates
        self.having = having
    }

    /// The columns of the rows: the keys, then the aggregates.
    public var columns: [String] { keys + aggregates.map(\.name) }
}
