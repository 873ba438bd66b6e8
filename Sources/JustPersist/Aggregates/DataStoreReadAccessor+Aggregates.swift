/// Aggregates that a store computes without returning the items: see ``DataStoreAggregate``.
extension DataStoreReadAccessor where Self: ~Copyable {
    /// The sum of an attribute of the items that match: 0 if none has a value.
    ///
    /// ```swift
    /// let total = try db.sum(of: \.stars, in: Restaurant.self, where: \.borough == "Queens")
    /// ```
    ///
    /// - Throws: `.limitExceeded` for a sum of whole numbers beyond 64 bits; `aggregate(_:of:where:)` returns it as a
    ///   Decimal.
    public func sum<Item: DataStoreItem, Value: NumericAttribute>(
        of keyPath: KeyPath<Item, Value>, in type: Item.Type = Item.self,
        where predicate: DataStorePredicate? = nil
    ) throws(DataStoreError) -> Value.Sum {
        let sum = try one(ItemAggregate<Item>.sum(keyPath), predicate)
        if let sum = Value.Sum(sum: sum) { return sum }
        throw DataStoreError(
            .limitExceeded, in: "aggregate",
            "The sum of “\(try type.path(for: keyPath).dotted)” of “\(type.itemTypeKey)” is \(sum.number), which is no \(Value.Sum.self). Ask for it with aggregate(_:of:where:), as a value.",
            itemType: type.itemTypeKey)
    }

    /// The sum of an attribute of the items that match: 0 if none has a value.
    public func sum<Item: DataStoreItem, Value: NumericAttribute>(
        of keyPath: KeyPath<Item, Value>, in type: Item.Type = Item.self,
        where condition: some ItemCondition<Item>
    ) throws(DataStoreError) -> Value.Sum {
        try sum(of: keyPath, in: type, where: condition.predicate())
    }

    /// The average of an attribute over the items that match and have a value; `nil` if there are none.
    public func average<Item: DataStoreItem, Value: NumericAttribute>(
        of keyPath: KeyPath<Item, Value>, in type: Item.Type = Item.self,
        where predicate: DataStorePredicate? = nil
    ) throws(DataStoreError) -> Value.Average? {
        let average = try one(ItemAggregate<Item>.average(keyPath), predicate)
        if average.isNull { return nil }
        if let average = Value.Average(sum: average) { return average }
        throw .unexpected(average, try type.path(for: keyPath).dotted, Value.Average.self, type)
    }

    /// The average of an attribute over the items that match and have a value; `nil` if there are none.
    public func average<Item: DataStoreItem, Value: NumericAttribute>(
        of keyPath: KeyPath<Item, Value>, in type: Item.Type = Item.self,
        where condition: some ItemCondition<Item>
    ) throws(DataStoreError) -> Value.Average? {
        try average(of: keyPath, in: type, where: condition.predicate())
    }

    /// The smallest value of an attribute among the items that match; `nil` if none has one.
    ///
    /// With an index over the attribute, only the beginning of the index is read.
    public func min<Item: DataStoreItem, Value: OrderedAttribute>(
        of keyPath: KeyPath<Item, Value>, in type: Item.Type = Item.self,
        where predicate: DataStorePredicate? = nil
    ) throws(DataStoreError) -> Value.Ordered? {
        try extreme(.min(keyPath), try type.path(for: keyPath).dotted, predicate)
    }

    /// The smallest value of an attribute among the items that match; `nil` if none has one.
    public func min<Item: DataStoreItem, Value: OrderedAttribute>(
        of keyPath: KeyPath<Item, Value>, in type: Item.Type = Item.self,
        where condition: some ItemCondition<Item>
    ) throws(DataStoreError) -> Value.Ordered? {
        try min(of: keyPath, in: type, where: condition.predicate())
    }

    /// The greatest value of an attribute among the items that match; `nil` if none has one.
    public func max<Item: DataStoreItem, Value: OrderedAttribute>(
        of keyPath: KeyPath<Item, Value>, in type: Item.Type = Item.self,
        where predicate: DataStorePredicate? = nil
    ) throws(DataStoreError) -> Value.Ordered? {
        try extreme(.max(keyPath), try type.path(for: keyPath).dotted, predicate)
    }

    /// The greatest value of an attribute among the items that match; `nil` if none has one.
    public func max<Item: DataStoreItem, Value: OrderedAttribute>(
        of keyPath: KeyPath<Item, Value>, in type: Item.Type = Item.self,
        where condition: some ItemCondition<Item>
    ) throws(DataStoreError) -> Value.Ordered? {
        try max(of: keyPath, in: type, where: condition.predicate())
    }

    /// Several aggregates of the items of a class that match, computed in one pass over the items.
    ///
    /// ```swift
    /// let row = try db.aggregate(.count, .sum(\.stars), of: Restaurant.self, where: \.borough == "Queens")
    /// print(row.count, row["sum.stars"])
    /// ```
    public func aggregate<Item: DataStoreItem>(
        _ aggregates: ItemAggregate<Item>..., of type: Item.Type,
        where predicate: DataStorePredicate? = nil
    ) throws(DataStoreError) -> DataStoreRow {
        try row(aggregates, predicate)
    }

    /// Several aggregates of the items of a class that match, computed in one pass over the items.
    public func aggregate<Item: DataStoreItem>(
        _ aggregates: ItemAggregate<Item>..., of type: Item.Type,
        where condition: some ItemCondition<Item>
    ) throws(DataStoreError) -> DataStoreRow {
        try row(aggregates, condition.predicate())
    }

    // MARK: Groups

    /// The groups of items of a class that have equal values for some attributes, with the aggregates of each group.
    ///
    /// ```swift
    /// let rows = try db.groups(
    ///     of: Restaurant.self, by: \.borough, computing: .count, .average(\.stars),
    ///     where: \.stars > 0, having: DataStorePredicate("count > 10"),
    ///     sortedBy: .descending("average.stars"), limit: 5)
    /// ```
    ///
    /// `predicate` selects the items; `having` selects groups, `sort` orders them, and `offset` and `limit` slice them.
    /// These three refer to columns: the keys and the names of the aggregates. Without a sort, the groups are in the
    /// order of their keys. Without aggregates, the rows are the distinct values of the keys. See
    /// ``DataStoreAggregation`` for which items form one group.
    ///
    /// - Throws: `.unknownAttribute` for a name that the class does not declare or a column that the rows do not have,
    ///   `.invalidRequest` for a sum of values that cannot be added.
    public func groups<Item: DataStoreItem>(
        of type: Item.Type, by keys: PartialKeyPath<Item>...,
        computing aggregates: ItemAggregate<Item>...,
        where predicate: DataStorePredicate? = nil, having: DataStorePredicate? = nil,
        sortedBy sort: DataStoreSortDescriptor..., offset: Int? = nil, limit: Int? = nil
    ) throws(DataStoreError) -> [DataStoreRow] {
        try rows(
            try type.names(of: keys), aggregates, predicate, having, sort, offset, limit)
    }

    /// The groups of items of a class, with the aggregates of each group.
    public func groups<Item: DataStoreItem>(
        of type: Item.Type, by keys: PartialKeyPath<Item>...,
        computing aggregates: ItemAggregate<Item>...,
        where condition: some ItemCondition<Item>, having: DataStorePredicate? = nil,
        sortedBy sort: DataStoreSortDescriptor..., offset: Int? = nil, limit: Int? = nil
    ) throws(DataStoreError) -> [DataStoreRow] {
        try rows(
            try type.names(of: keys), aggregates, condition.predicate(), having, sort, offset,
            limit)
    }

    /// The groups of items of a class by named attributes or key paths with dots.
    public func groups<Item: DataStoreItem>(
        of type: Item.Type, by keys: String..., computing aggregates: ItemAggregate<Item>...,
        where predicate: DataStorePredicate? = nil, having: DataStorePredicate? = nil,
        sortedBy sort: DataStoreSortDescriptor..., offset: Int? = nil, limit: Int? = nil
    ) throws(DataStoreError) -> [DataStoreRow] {
        try rows(keys, aggregates, predicate, having, sort, offset, limit)
    }

    /// The groups of items of a class by named attributes or key paths with dots.
    public func groups<Item: DataStoreItem>(
        of type: Item.Type, by keys: String..., computing aggregates: ItemAggregate<Item>...,
        where condition: some ItemCondition<Item>, having: DataStorePredicate? = nil,
        sortedBy sort: DataStoreSortDescriptor..., offset: Int? = nil, limit: Int? = nil
    ) throws(DataStoreError) -> [DataStoreRow] {
        try rows(keys, aggregates, condition.predicate(), having, sort, offset, limit)
    }

    /// The result of an aggregation over the items that a request's predicate selects: a row for each group.
    ///
    /// The request's sort, offset and limit apply to the rows; see ``DataStoreAggregation``.
    ///
    /// - Throws: `.unknownAttribute` for an attribute that the type does not have; the message names the nearest one.
    public func aggregate(
        _ request: DataStoreRequest, _ aggregation: DataStoreAggregation
    ) throws(DataStoreError) -> [DataStoreRow] {
        try performAggregate(request, aggregation)
    }

    // MARK: Parts

    private func rows<Item: DataStoreItem>(
        _ keys: [String], _ aggregates: [ItemAggregate<Item>], _ predicate: DataStorePredicate?,
        _ having: DataStorePredicate?, _ sort: [DataStoreSortDescriptor], _ offset: Int?,
        _ limit: Int?
    ) throws(DataStoreError) -> [DataStoreRow] {
        let request = try Item.request(predicate, [], offset: offset, limit: limit)
        request.sortDescriptors = sort
        var known: [DataStoreAggregate] = []
        for aggregate in aggregates { known.append(try aggregate.aggregate()) }
        return try aggregate(request, DataStoreAggregation(groupedBy: keys, known, having: having))
    }

    private func row<Item: DataStoreItem>(
        _ aggregates: [ItemAggregate<Item>], _ predicate: DataStorePredicate?
    ) throws(DataStoreError) -> DataStoreRow {
        if let row = try rows([], aggregates, predicate, nil, [], nil, nil).first { return row }
        throw DataStoreError(
            .storageFailure, in: "aggregate",
            "The store gave no row for all items, which breaks its contract.",
            itemType: Item.itemTypeKey)
    }

    private func one<Item: DataStoreItem>(
        _ aggregate: ItemAggregate<Item>, _ predicate: DataStorePredicate?
    ) throws(DataStoreError) -> DataStoreValue {
        try row([aggregate], predicate).values[0]
    }

    private func extreme<Item: DataStoreItem, Value: AttributeValue>(
        _ aggregate: ItemAggregate<Item>, _ name: String, _ predicate: DataStorePredicate?
    ) throws(DataStoreError) -> Value? {
        let stored = try one(aggregate, predicate)
        if stored.isNull { return nil }
        if let value = Value(stored) { return value }
        throw .unexpected(stored, name, Value.self, Item.self)
    }
}

extension DataStoreReadAccessor where Self: ~Copyable {
    /// Visits the items and adds their values to the totals.
    public func performAggregate(
        _ request: DataStoreRequest, _ aggregation: DataStoreAggregation
    ) throws(DataStoreError) -> [DataStoreRow] {
        let stored = try schemas().schema(ofType: request.type.key)
        var grouping = try RowGrouping(
            request, aggregation, of: request.type.attributeNames(stored: stored))
        if grouping.countsItemsOnly {
            grouping.count(try performCount(grouping.items), at: 0)
            return try grouping.rows()
        }
        do {
            try performForEach(grouping.items) { item in
                try grouping.add(AggregatedItem(item: ItemSubject(backing: item.backing)))
            }
        } catch let error as DataStoreError {
            throw error
        } catch {
            throw DataStoreError(.storageFailure, in: "aggregate", "\(error)")
        }
        return try grouping.rows()
    }
}

/// An item seen by its type: attributes that the type does not have are nil, as in a predicate.
private struct AggregatedItem: PredicateSubject {
    let item: ItemSubject

    func value(forAttribute name: String) throws(DataStoreError) -> DataStoreValue {
        do throws(DataStoreError) {
            return try item.value(forAttribute: name)
        } catch {
            if error.code == .unknownAttribute { return .null }
            throw error
        }
    }

    func value(
        forAttribute name: String, of reference: ItemReference
    ) throws(DataStoreError) -> DataStoreValue {
        try item.value(forAttribute: name, of: reference)
    }
}

extension DataStoreItem {
    fileprivate static func names(
        of keyPaths: [PartialKeyPath<Self>]
    ) throws(DataStoreError) -> [String] {
        var names: [String] = []
        for keyPath in keyPaths { names.append(try path(for: keyPath).dotted) }
        return names
    }
}

extension DataStoreValue {
    /// The number as messages show it.
    fileprivate var number: String {
        switch self {
        case .int(let number): "\(number)"
        case .double(let number): "\(number)"
        case .decimal(let number): "\(number)"
        default: "\(self)"
        }
    }
}

extension DataStoreError {
    fileprivate static func unexpected(
        _ value: DataStoreValue, _ name: String, _ type: Any.Type,
        _ itemType: any DataStoreItem.Type
    ) -> DataStoreError {
        DataStoreError(
            .kindMismatch, in: "aggregate",
            "What was computed of “\(name)” of “\(itemType.itemTypeKey)” is the \(value.kind) \(value.number), which is no \(type). Ask for it with aggregate(_:of:where:), as a value.",
            itemType: itemType.itemTypeKey, attribute: name)
    }
}
