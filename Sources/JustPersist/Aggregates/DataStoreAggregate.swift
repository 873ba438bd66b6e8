/// One value computed of many: how many items there are, or the sum, average, minimum or maximum of what they have at
/// an attribute.
///
/// ```swift
/// let request = DataStoreRequest(itemTypeKey: "Restaurant")
/// let rows = try db.aggregate(
///     request, DataStoreAggregation(groupedBy: ["borough"], [.count, .average("stars")]))
/// ```
///
/// Values that are nil are left out, as SQL's aggregate functions do. So the average of 4, nil and 2 is 3. (Inside a
/// predicate, `@avg` and `average:` look at the elements of one item's array, and take nil for 0, as key-value coding
/// does.) What is computed of no values at all is 0 for ``Function/count`` and ``Function/sum``, as with `@sum` of
/// key-value coding, where SQL has NULL; and nil for the others.
public struct DataStoreAggregate: Sendable, Hashable {
    /// What is computed.
    public enum Function: String, Sendable, Hashable, CaseIterable, Codable {
        /// The number of items, or of the values that are not nil.
        case count
        /// The values added up.
        ///
        /// Numbers, with truth values as 0 and 1; anything else is refused with ``DataStoreError/Code/invalidRequest``.
        /// Whole numbers are added exactly: a sum that does not fit into 64 bits is a Decimal. With Decimals
        /// among them the sum is a Decimal, of up to 38 digits. With Doubles among them it is a Double: the exact sum,
        /// rounded once, whatever the order of the items. The sum of the Decimals beside them counts as its nearest
        /// Double. A Decimal with an exponent beyond ±40 counts as its own nearest Double. One NaN makes the sum NaN, and
        /// so do infinities of both signs.
        case sum
        /// The sum divided by the number of the values.
        ///
        /// A Double; a Decimal if there are Decimals and no Doubles among the values.
        case average
        /// The value that a sort in ascending order puts first.
        ///
        /// Of any kinds, in the order of sorting: numbers before texts, NaN behind all other numbers, texts by their Unicode
        /// scalars. Of equal values, such as 1 and 1.0, the one of the item that was created first.
        case minimum = "min"
        /// The value that a sort in descending order puts first.
        case maximum = "max"
    }

    /// What is computed.
    public let function: Function
    /// The attribute, a key path with dots into dictionaries and along references, or any expression of predicates; `nil` to
    /// count items.
    ///
    /// A path through an array is refused, because an item has several values there: compute one, as in `grades.@sum.score`.
    public let key: String?
    /// The name of the column that has the result.
    ///
    /// `count`, or the function and the key: `count.stars`, `sum.stars`, `average.stars`, `min.stars`, `max.address.zip`.
    public let name: String

    private init(_ function: Function, _ key: String?, name: String? = nil) {
        self.function = function
        self.key = key
        self.name = name ?? (key.map { "\(function.rawValue).\($0)" } ?? function.rawValue)
    }

    /// How many items there are; the column is named `count`.
    public static let count = DataStoreAggregate(.count, nil)

    /// A function of the values at an attribute, or at a key path with dots.
    public init(_ function: Function, of key: String) { self.init(function, key, name: nil) }

    /// How many items have a value there.
    public static func count(_ key: String) -> Self { Self(.count, of: key) }

    /// The sum of the values there.
    public static func sum(_ key: String) -> Self { Self(.sum, of: key) }

    /// The average of the values there.
    public static func average(_ key: String) -> Self { Self(.average, of: key) }

    /// The smallest value there.
    public static func min(_ key: String) -> Self { Self(.minimum, of: key) }

    /// The greatest value there.
    public static func max(_ key: String) -> Self { Self(.maximum, of: key) }

    /// The same in a column of another name.
    public func named(_ name: String) -> Self { Self(function, key, name: name) }
}

/// What is computed of the items that a request asks for, and for which groups of them.
///
/// The request's predicate chooses the items. Its sort, offset and limit are about the rows, of which there is one for each
/// group, as those of SQL's `ORDER BY` and `LIMIT` are: a sort descriptor names a column. Without a sort the rows are
/// in the order of the keys.
public struct DataStoreAggregation: Sendable, Hashable {
    /// The attributes, key paths with dots or expressions of predicates whose values make a group; each is a column of that name.
    ///
    /// Items are in one group if their values are equal as in a predicate: 1 and 1.0 are, and texts that are canonically
    /// equivalent. The row shows the values of the item that was created first. nil is a value like any other here, and
    /// so is an array: items with equal arrays are one group. All NaN are one group, as they are to a sort. A key path through
    /// an array is refused, as in a sort. Without keys there is one group, of all items, even if there are none.
    public var keys: [String]
    /// What is computed for each group, a column each; without any, the rows are the different values of the keys.
    public var aggregates: [DataStoreAggregate]
    /// Which groups to give: a predicate that names columns, such as `count > 10 AND average.stars >= 4`.
    public var having: DataStorePredicate?

    /// What to compute, and for which groups.
    public init(
        groupedBy keys: [String] = [], _ aggregates: [DataStoreAggregate],
        having: DataStorePredicate? = nil
    ) {
        self.keys = keys
        self.aggregates = aggregates
        self.having = having
    }

    /// The columns of the rows: the keys, and what is computed.
    public var columns: [String] { keys + aggregates.map(\.name) }
}
