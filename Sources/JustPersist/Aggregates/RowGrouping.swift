import Foundation

/// The groups of an aggregation, built from the items one by one.
///
/// Memory grows with the number of groups. All stores use it, so all return equal rows.
package struct RowGrouping {
    /// The keys that make a group.
    package let keys: [RequestKey]
    /// The distinct operands of the aggregates.
    package let operands: [RequestKey]
    /// The totals that each operand needs.
    package let needs: [AggregateTotal.Needs]

    private let request: DataStoreRequest
    private let aggregation: DataStoreAggregation
    private let columns: [String]
    /// The position of each aggregate's operand; `nil` for the number of items.
    private let operandPlaces: [Int?]
    private let having: PreparedPredicate?
    private let sort: [(key: PreparedExpression, descriptor: DataStoreSortDescriptor)]

    /// The values of the keys, for each group.
    private var keyValues: [[DataStoreValue]] = []
    private var places: [GroupKey: Int] = [:]
    /// The number of items in each group.
    private var counts: [Int] = []
    /// The totals of each operand, group by group.
    private var totals: [AggregateTotal] = []

    /// Groups without items, for a request that a store has received.
    ///
    /// - Parameter names: The known attributes of the type; `nil` if none are known.
    /// - Throws: The first fault of the request or the aggregation.
    package init(
        _ request: DataStoreRequest, _ aggregation: DataStoreAggregation,
        of names: (any AttributeNames)?
    ) throws(DataStoreError) {
        try request.validateParts()
        self.request = request
        self.aggregation = aggregation
        columns = aggregation.columns
        try Self.check(columns, of: request.type)
        let now = Surroundings.date
        var keys: [RequestKey] = []
        for key in aggregation.keys {
            keys.append(try RequestKey(key, of: names, in: "aggregate", now: now))
        }
        self.keys = keys
        var operands: [RequestKey] = []
        var needs: [AggregateTotal.Needs] = []
        var operandPlaces: [Int?] = []
        for aggregate in aggregation.aggregates {
            guard let key = aggregate.key else {
                operandPlaces.append(nil)
                continue
            }
            let place = operands.firstIndex { $0.text == key } ?? operands.count
            if place == operands.count {
                operands.append(try RequestKey(key, of: names, in: "aggregate", now: now))
                needs.append([])
            }
            operandPlaces.append(place)
            switch aggregate.function {
            case .count: break
            case .sum, .average:
                try Self.checkNumbers(operands[place], of: request.type)
                needs[place].insert(.sum)
            case .minimum: needs[place].insert(.minimum)
            case .maximum: needs[place].insert(.maximum)
            }
        }
        (self.operands, self.needs, self.operandPlaces) = (operands, needs, operandPlaces)
        var sort: [(key: PreparedExpression, descriptor: DataStoreSortDescriptor)] = []
        for descriptor in request.sortDescriptors ?? [] {
            let key = try Self.sortKey(descriptor.key, columns, request.type)
            sort.append((PreparedExpression(key, now: now), descriptor))
        }
        self.sort = sort
        if let predicate = aggregation.having {
            having = try Self.prepared(predicate, columns, request.type)
        } else {
            having = nil
        }
        // Without keys there is one row, even if there are no items.
        if keys.isEmpty { _ = place(of: []) }
    }

    // MARK: Items

    /// Whether only the number of all items is needed.
    package var countsItemsOnly: Bool { keys.isEmpty && operands.isEmpty }

    /// Whether the number of items in each group is needed.
    package var countsItems: Bool { operandPlaces.contains(nil) }

    /// Whether only minima and maxima of all items are needed, and perhaps their number.
    package var isOfExtremes: Bool {
        keys.isEmpty && !operands.isEmpty
            && aggregation.aggregates.allSatisfy { aggregate in
                switch aggregate.function {
                case .minimum, .maximum: true
                case .count: aggregate.key == nil
                case .sum, .average: false
                }
            }
    }

    /// Whether the smallest or greatest value of an operand is needed.
    package func needsExtreme(_ ascending: Bool, of operand: Int) -> Bool {
        needs[operand].contains(ascending ? .minimum : .maximum)
    }

    /// A request for the items that the predicate selects, in the order of creation.
    package var items: DataStoreRequest {
        let items = DataStoreRequest(type: request.type, predicate: request.predicate)
        items.deadline = request.deadline
        return items
    }

    /// The group of items with these values for the keys.
    package mutating func place(of values: [DataStoreValue]) -> Int {
        let key = GroupKey(values)
        if let place = places[key] { return place }
        let place = newPlace(of: values)
        places[key] = place
        return place
    }

    /// Adds a group with values that no other group has, and that are never passed to ``place(of:)``.
    ///
    /// For a caller that visits the values in order, and so need not look the group up.
    package mutating func newPlace(of values: [DataStoreValue]) -> Int {
        let place = counts.count
        keyValues.append(values)
        counts.append(0)
        for _ in operands { totals.append(AggregateTotal()) }
        return place
    }

    /// Counts items of a group.
    @inline(__always)
    package mutating func count(_ items: Int = 1, at place: Int) { counts[place] += items }

    /// Adds the value that an item of a group has at an operand.
    package mutating func add(
        _ value: DataStoreValue, at place: Int, operand: Int
    ) throws(DataStoreError) {
        let index = place * operands.count + operand
        if totals[index].add(value, needs[operand]) { return }
        throw .noSum(of: operands[operand], value.kind, request.type)
    }

    /// Adds a whole number.
    @inline(__always)
    package mutating func add(integer: Int64, at place: Int, operand: Int) {
        totals[place * operands.count + operand].addInteger(integer, needs[operand])
    }

    /// Adds a floating-point number.
    @inline(__always)
    package mutating func add(double: Double, at place: Int, operand: Int) {
        totals[place * operands.count + operand].addDouble(double, needs[operand])
    }

    /// Adds an item to its group.
    mutating func add(_ item: some PredicateSubject) throws(DataStoreError) {
        var place = 0
        if !keys.isEmpty {
            var values: [DataStoreValue] = []
            for key in keys { values.append(try key.value(for: item)) }
            place = self.place(of: values)
        }
        count(at: place)
        for (index, operand) in operands.enumerated() {
            try add(try operand.value(for: item), at: place, operand: index)
        }
    }

    // MARK: Rows

    /// The rows of the groups that `having` accepts, sorted and sliced.
    package consuming func rows() throws(DataStoreError) -> [DataStoreRow] {
        var rows: [Row] = []
        var steps = WorkSteps()
        for place in counts.indices {
            try steps.count()
            var values = keyValues[place]
            for (aggregate, operand) in zip(aggregation.aggregates, operandPlaces) {
                guard let operand else {
                    values.append(.int(Int64(counts[place])))
                    continue
                }
                let total = totals[place * operands.count + operand]
                values.append(total.result(aggregate.function))
            }
            let row = Row(columns: columns, values: values)
            if let having, try !having.matches(row) { continue }
            var keys: [DataStoreValue] = []
            for criterion in sort {
                var scope = PredicateScope()
                keys.append(
                    criterion.descriptor.key(try criterion.key.value(for: row, &scope)))
            }
            rows.append(Row(columns: columns, values: values, sortKeys: keys))
        }
        let order = sort.map(\.descriptor)
        let keyCount = keys.count
        try rows.sortWithinLimits { a, b in
            for (index, descriptor) in order.enumerated() {
                let keys = (a.sortKeys[index], b.sortKeys[index])
                if let precedes = descriptor.precedes(keys.0, keys.1) { return precedes }
            }
            for index in 0..<keyCount {
                let order = a.values[index].sortOrder(against: b.values[index])
                if order != .same { return order == .ascending }
            }
            return false
        }
        let slice = request.slice
        return rows.dropFirst(slice.offset).prefix(slice.limit ?? .max)
            .map { DataStoreRow(columns: columns, values: $0.values) }
    }

    /// A row as a predicate evaluates it, with its columns as attributes, and the keys that it is sorted by.
    private struct Row: PredicateSubject {
        let columns: [String]
        let values: [DataStoreValue]
        var sortKeys: [DataStoreValue] = []

        func value(forAttribute name: String) throws(DataStoreError) -> DataStoreValue {
            columns.firstIndex(of: name).map { values[$0] } ?? .null
        }
    }

    // MARK: Checks

    private static func check(_ columns: [String], of type: ItemType) throws(DataStoreError) {
        if columns.isEmpty {
            throw .invalidAggregation("Nothing is asked for. Name keys, or what to compute.", type)
        }
        var seen: Set<String> = []
        for column in columns {
            if column.isEmpty { throw .invalidAggregation("A column has an empty name.", type) }
            if seen.insert(column).inserted { continue }
            throw .invalidAggregation(
                "Two columns have the name “\(column)”.", type,
                advice: "Leave one out, or give it another name with named(_:).")
        }
    }

    /// Throws for an operand that can never have a value that can be added.
    private static func checkNumbers(
        _ key: RequestKey, of type: ItemType
    ) throws(DataStoreError) {
        guard key.kinds.isDisjoint(with: .numbers), let kind = key.kinds.list.first else { return }
        throw .noSum(of: key, kind, type)
    }

    /// A predicate over the columns; each column is one attribute.
    private static func prepared(
        _ predicate: DataStorePredicate, _ columns: [String], _ type: ItemType
    ) throws(DataStoreError) -> PreparedPredicate {
        try predicate.validate()
        return PreparedPredicate(try aboutColumns(predicate, columns, type))
    }

    /// The predicate with every path replaced by one that begins at a column.
    private static func aboutColumns(
        _ predicate: DataStorePredicate, _ columns: [String], _ type: ItemType
    ) throws(DataStoreError) -> DataStorePredicate {
        typealias Expression = DataStorePredicate.Expression
        func column(
            _ path: DataStorePredicate.AttributePath
        ) throws(DataStoreError) -> DataStorePredicate.AttributePath {
            if let column = columnPath(path.components, among: columns) { return .init(column) }
            throw .unknownColumn(
                path.dotted, among: columns, itemType: type.key)
        }
        return try predicate.mapExpressions {
            (expression, _) throws(DataStoreError) -> Expression in
            switch expression {
            case .path(let path): .path(try column(path))
            case .count(let path): .count(try column(path))
            default: expression
            }
        }
    }

    /// The sort key of rows: a column, or an expression of columns.
    private static func sortKey(
        _ key: String, _ columns: [String], _ type: ItemType
    ) throws(DataStoreError) -> DataStorePredicate.Expression {
        let names = DataStorePredicate.AttributePath(dotted: key).components
        if let column = columnPath(names, among: columns) { return .path(.init(column)) }
        guard let expression = try? PredicateParser.parseExpression(key),
            case .comparison(let aboutColumns) = try aboutColumns(
                .isNull(expression), columns, type)
        else { throw .unknownColumn(key, among: columns, itemType: type.key) }
        try DataStorePredicate.comparison(aboutColumns).validate()
        return aboutColumns.left
    }

    /// The column that a path begins with, the longest if there are several, and the rest of the path.
    private static func columnPath(_ names: [String], among columns: [String]) -> [String]? {
        for count in (1...max(1, names.count)).reversed() {
            let column = names.prefix(count).joined(separator: ".")
            if columns.contains(column) { return [column] + names.dropFirst(count) }
        }
        return nil
    }
}

/// The values of a group's keys, equal if a sort ranks them equally.
///
/// Values that a predicate finds equal are equal here, and so are all NaN.
private struct GroupKey: Hashable {
    let values: [DataStoreValue]
    private let hash: Int

    init(_ values: [DataStoreValue]) {
        self.values = values
        var hasher = Hasher()
        for value in values { hasher.combine(ValueSet.Key(value)) }
        hash = hasher.finalize()
    }

    static func == (left: GroupKey, right: GroupKey) -> Bool {
        left.hash == right.hash
            && zip(left.values, right.values).allSatisfy { $0.sortOrder(against: $1) == .same }
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

extension DataStoreError {
    fileprivate static func invalidAggregation(
        _ message: String, _ type: ItemType, advice: String? = nil
    ) -> DataStoreError {
        DataStoreError(
            .invalidRequest, in: "aggregate", message, advice: advice, itemType: type.key)
    }

    /// The refusal of a sum of values that cannot be added.
    fileprivate static func noSum(
        of key: RequestKey, _ kind: DataStoreValue.Kind, _ type: ItemType
    ) -> DataStoreError {
        let name = key.text
        let advice =
            switch kind {
            case .array:
                "Add what each item's array comes to, such as \(name).@sum or \(name).@count."
            case .date: "Ask for their min or max, or count them; store durations as numbers."
            default: "Ask for their min or max, count them, or choose other items."
            }
        return DataStoreError(
            .invalidRequest, in: "aggregate",
            "A sum or an average of “\(name)” of “\(type.key)” is asked for, and values of kind \(kind) have none. \(advice)",
            itemType: type.key, attribute: key.path?.components.first)
    }
}
