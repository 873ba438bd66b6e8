/// An aggregate of the items of a class, by key path or by name: see ``DataStoreAggregate``.
///
/// ```swift
/// try db.groups(of: Restaurant.self, by: \.borough, computing: .count, .max(\.stars), .sum("prices.lunch"))
/// ```
public struct ItemAggregate<Item: DataStoreItem>: Sendable {
    private let result: Result<DataStoreAggregate, DataStoreError>

    /// This aggregate by name, for items of any type.
    ///
    /// - Throws: `.unknownAttribute` for a key path or name that the class does not declare.
    public func aggregate() throws(DataStoreError) -> DataStoreAggregate { try result.get() }

    /// An aggregate by name as one of this class.
    public init(_ aggregate: DataStoreAggregate) { result = .success(aggregate) }

    private init(_ result: Result<DataStoreAggregate, DataStoreError>) { self.result = result }

    private init(_ function: DataStoreAggregate.Function, _ keyPath: AnyKeyPath) {
        result = Result { () throws(DataStoreError) in
            DataStoreAggregate(function, of: try Item.path(for: keyPath).dotted)
        }
    }

    /// The number of items, in the column `count`.
    public static var count: ItemAggregate { ItemAggregate(DataStoreAggregate.count) }

    /// The number of items that have a value.
    public static func count<Value>(_ keyPath: KeyPath<Item, Value>) -> ItemAggregate {
        ItemAggregate(.count, keyPath)
    }

    /// The sum of the values: 0 if there are none.
    public static func sum<Value>(_ keyPath: KeyPath<Item, Value>) -> ItemAggregate {
        ItemAggregate(.sum, keyPath)
    }

    /// The average of the values; nil if there are none.
    public static func average<Value>(_ keyPath: KeyPath<Item, Value>) -> ItemAggregate {
        ItemAggregate(.average, keyPath)
    }

    /// The smallest value, as it is stored; nil if there is none.
    public static func min<Value>(_ keyPath: KeyPath<Item, Value>) -> ItemAggregate {
        ItemAggregate(.minimum, keyPath)
    }

    /// The greatest value, as it is stored; nil if there is none.
    public static func max<Value>(_ keyPath: KeyPath<Item, Value>) -> ItemAggregate {
        ItemAggregate(.maximum, keyPath)
    }

    /// The number of values at a key path with dots.
    public static func count(_ key: String) -> ItemAggregate { ItemAggregate(.count(key)) }

    /// The sum of the values at a key path with dots.
    public static func sum(_ key: String) -> ItemAggregate { ItemAggregate(.sum(key)) }

    /// The average of the values at a key path with dots.
    public static func average(_ key: String) -> ItemAggregate { ItemAggregate(.average(key)) }

    /// The smallest value at a key path with dots.
    public static func min(_ key: String) -> ItemAggregate { ItemAggregate(.min(key)) }

    /// The greatest value at a key path with dots.
    public static func max(_ key: String) -> ItemAggregate { ItemAggregate(.max(key)) }

    /// This aggregate with another column name.
    public func named(_ name: String) -> ItemAggregate {
        ItemAggregate(result.map { $0.named(name) })
    }
}
