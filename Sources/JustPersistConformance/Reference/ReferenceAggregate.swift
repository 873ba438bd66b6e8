import Foundation
package import JustPersist

/// Computes an aggregation of the rows of a state, by sorting them, and by exact arithmetic on decimal and binary
/// digits.
package struct ReferenceAggregate: Sendable {
    /// The values of an attribute that a function uses.
    package var operands:
        @Sendable ([DataStoreValue], DataStoreAggregate.Function) -> [DataStoreValue] = {
            values, _ in values.filter { !$0.isNull }
        }

    /// Whether two values belong to one group.
    package var isOneGroup: @Sendable (DataStoreValue, DataStoreValue) -> Bool = {
        ReferenceOrder.sortOrder($0, $1) == .same
    }

    /// The rows of groups that a request selects.
    package var sliced: @Sendable ([DataStoreRow], DataStoreRequest) -> [DataStoreRow] = {
        rows, request in
        let rest = rows.dropFirst(request.offset ?? 0)
        guard let limit = request.limit, limit > 0 else { return Array(rest) }
        return Array(rest.prefix(limit))
    }

    /// Whether a sum of values of this kind is refused.
    package var refusesSum: @Sendable (DataStoreValue.Kind) -> Bool = { kind in
        ![.null, .bool, .int, .double, .decimal].contains(kind)
    }

    /// The aggregation of the contract.
    package init() {}

    /// The rows that an aggregation returns.
    package func rows(
        _ request: DataStoreRequest, _ aggregation: DataStoreAggregation,
        in state: ReferenceState,
        items: ReferenceRules.Rows<[ReferenceRow]> = { request, state throws(DataStoreError) in
            try ReferenceQuery.rows(request, in: state)
        }
    ) throws(DataStoreError) -> [DataStoreRow] {
        try request.validateParts()
        try check(request, aggregation, in: state)
        let source = DataStoreRequest(type: request.type, predicate: request.predicate)
        source.deadline = request.deadline
        let found = try items(source, state)
        var expressions: [String: DataStorePredicate.Expression] = [:]
        for key in aggregation.keys + aggregation.aggregates.compactMap(\.key) {
            expressions[key] = try ReferenceQuery.sortKey(
                key, request.type, state, in: "aggregate")
        }
        func value(
            _ key: String, _ row: ReferenceRow
        ) throws(DataStoreError) -> DataStoreValue {
            let subject = ReferenceQuery.subject(row, request.type, state)
            guard let key = expressions[key] else { return .null }
            try ReferenceQuery.checkSortable(key, subject, in: "aggregate")
            return ReferenceExpression.value(of: key, subject)
        }
        var groups: [(keys: [DataStoreValue], rows: [ReferenceRow])] = []
        var keyed: [(index: Int, keys: [DataStoreValue], row: ReferenceRow)] = []
        for (index, row) in found.enumerated() {
            var keys: [DataStoreValue] = []
            for key in aggregation.keys { keys.append(try value(key, row)) }
            keyed.append((index, keys, row))
        }
        keyed.sort { a, b in Self.order(a.keys, b.keys) ?? (a.index < b.index) }
        for (_, keys, row) in keyed {
            if let last = groups.last, zip(last.keys, keys).allSatisfy(isOneGroup) {
                groups[groups.count - 1].rows.append(row)
            } else {
                groups.append((keys, [row]))
            }
        }
        if aggregation.keys.isEmpty, groups.isEmpty { groups = [([], [])] }
        var rows: [DataStoreRow] = []
        for group in groups {
            var values = group.keys
            for aggregate in aggregation.aggregates {
                guard let key = aggregate.key else {
                    values.append(.int(Int64(group.rows.count)))
                    continue
                }
                var all: [DataStoreValue] = []
                for row in group.rows { all.append(try value(key, row)) }
                values.append(try result(aggregate, all, request))
            }
            let row = DataStoreRow(columns: aggregation.columns, values: values)
            if Self.matches(row, aggregation.having) { rows.append(row) }
        }
        let sorted = rows.enumerated().sorted { a, b in
            for descriptor in request.sortDescriptors ?? [] {
                let keys = [a.element, b.element].map { row in
                    ReferenceExpression.value(
                        of: Self.sortKey(descriptor.key, row.columns), Self.subject(row))
                }
                switch ReferenceQuery.sortOrder(keys[0], keys[1], by: descriptor.textOrder) {
                case .same: continue
                case .ascending: return descriptor.ascending
                case .descending: return !descriptor.ascending
                }
            }
            return a.offset < b.offset
        }
        return sliced(sorted.map(\.element), request)
    }

    // MARK: Functions

    private func result(
        _ aggregate: DataStoreAggregate, _ all: [DataStoreValue], _ request: DataStoreRequest
    ) throws(DataStoreError) -> DataStoreValue {
        let values = operands(all, aggregate.function)
        func first(_ order: ValueOrder) -> DataStoreValue {
            values.dropFirst().reduce(values.first ?? .null) { best, value in
                ReferenceOrder.sortOrder(value, best) == order ? value : best
            }
        }
        switch aggregate.function {
        case .count: return .int(Int64(values.count))
        case .minimum: return first(.ascending)
        case .maximum: return first(.descending)
        case .sum, .average: break
        }
        if let value = values.first(where: { refusesSum($0.kind) }) {
            throw Self.refusal(of: aggregate, value.kind, request)
        }
        let sum = Self.sum(values)
        if aggregate.function == .sum { return sum }
        if values.isEmpty { return .null }
        let isExact = sum.kind != .double
        if isExact, values.contains(where: { $0.kind == .decimal }) {
            return ReferenceArithmetic.calculate("/", sum, .decimal(Decimal(values.count)))
        }
        return .double((ReferenceArithmetic.double(sum) ?? .nan) / Double(values.count))
    }

    private static func sum(_ values: [DataStoreValue]) -> DataStoreValue {
        var whole: Int128 = 0
        var decimals: Decimal?
        var doubles: [Double] = []
        for value in values {
            switch value {
            case .decimal(let number):
                if number.isNaN || !(-40...40).contains(number.exponent) {
                    doubles.append(ReferenceArithmetic.double(value) ?? .nan)
                } else {
                    decimals = (decimals ?? 0) + number
                }
            case .double(let number): doubles.append(number)
            default: whole += Int128(ReferenceArithmetic.whole(value) ?? 0)
            }
        }
        if doubles.isEmpty {
            let decimal = Decimal(string: whole.description) ?? .nan
            if let decimals { return .decimal(decimals + decimal) }
            return Int64(exactly: whole).map { .int($0) } ?? .decimal(decimal)
        }
        if let decimals {
            doubles.append(ReferenceArithmetic.double(.decimal(decimals)) ?? .nan)
        }
        let infinite = doubles.filter { !$0.isFinite }
        if !infinite.isEmpty {
            // The standard NaN of Swift, among all bit patterns of NaN.
            let sum = infinite.reduce(0, +)
            return .double(sum.isNaN ? .nan : sum)
        }
        return .double(BinarySum(doubles, whole).nearest)
    }

    // MARK: Rows

    /// Whether the keys `a` come before the keys `b`; `nil` if a sort does not distinguish them.
    private static func order(_ a: [DataStoreValue], _ b: [DataStoreValue]) -> Bool? {
        for (a, b) in zip(a, b) {
            let order = ReferenceOrder.sortOrder(a, b)
            if order != .same { return order == .ascending }
        }
        return nil
    }

    /// The longest column name with which a path begins, and the names that follow it.
    private static func path(_ path: String, _ columns: [String]) -> [String]? {
        let fitting = columns.filter { path == $0 || path.hasPrefix($0 + ".") }
        guard let column = fitting.max(by: { $0.utf8.count < $1.utf8.count }) else { return nil }
        let rest = path.dropFirst(column.count + 1)
        return [column]
            + rest.split(separator: ".", omittingEmptySubsequences: false)
            .filter { _ in !rest.isEmpty }.map(String.init)
    }

    private static func subject(_ row: DataStoreRow) -> ReferencePredicate.Subject {
        ReferencePredicate.Subject(value: { row[$0] }, valueOfOther: { _, _ in .null })
    }

    private static func matches(_ row: DataStoreRow, _ having: DataStorePredicate?) -> Bool {
        guard let having else { return true }
        return ReferencePredicate.matches(aboutColumns(having, row.columns), subject(row))
    }

    private static func aboutColumns(
        _ predicate: DataStorePredicate, _ columns: [String]
    ) -> DataStorePredicate {
        predicate.mapExpressions { expression, _ in
            guard case .path(let path) = expression else { return expression }
            return Self.path(path.components.joined(separator: "."), columns)
                .map { .path(.init($0)) } ?? expression
        }
    }

    /// The value that a key of the rows' sort computes from the columns.
    private static func sortKey(
        _ key: String, _ columns: [String]
    ) -> DataStorePredicate.Expression {
        if let path = path(key, columns) { return .path(.init(path)) }
        let parsed = try? DataStorePredicate("\(key) == nil", arguments: [])
        guard let parsed, case .comparison(let comparison) = aboutColumns(parsed, columns) else {
            return .value(.null)
        }
        return comparison.left
    }

    // MARK: Refusals

    private func check(
        _ request: DataStoreRequest, _ aggregation: DataStoreAggregation,
        in state: ReferenceState
    ) throws(DataStoreError) {
        let columns = aggregation.columns
        func invalid(_ message: String) -> DataStoreError {
            DataStoreError(
                .invalidRequest, in: "aggregate", message, itemType: request.type.key)
        }
        if columns.isEmpty { throw invalid("Nothing is asked for.") }
        if columns.contains("") || Set(columns).count < columns.count {
            throw invalid("Each column needs a name of its own, among \(columns).")
        }
        for key in aggregation.keys + aggregation.aggregates.compactMap(\.key) {
            _ = try ReferenceQuery.sortKey(key, request.type, state, in: "aggregate")
        }
        for aggregate in aggregation.aggregates {
            guard let key = aggregate.key, [.sum, .average].contains(aggregate.function),
                let attribute = request.type.schema?.attributes.first(where: { $0.name == key }),
                let kind = attribute.kinds.first, attribute.kinds.allSatisfy(refusesSum)
            else { continue }
            throw Self.refusal(of: aggregate, kind, request)
        }
        try aggregation.having?.validate()
        var named = (aggregation.having?.paths ?? []).map { $0.components.joined(separator: ".") }
        for descriptor in request.sortDescriptors ?? [] {
            let parsed = try? DataStorePredicate("\(descriptor.key) == nil", arguments: [])
            guard Self.path(descriptor.key, columns) == nil, let parsed else {
                named.append(descriptor.key)
                continue
            }
            named += parsed.paths.map { $0.components.joined(separator: ".") }
        }
        for name in named where Self.path(name, columns) == nil {
            throw DataStoreError(
                .unknownAttribute, in: "aggregate",
                "The rows have no column “\(name)”, but \(columns).", attribute: name)
        }
    }

    private static func refusal(
        of aggregate: DataStoreAggregate, _ kind: DataStoreValue.Kind, _ request: DataStoreRequest
    ) -> DataStoreError {
        DataStoreError(
            .invalidRequest, in: "aggregate",
            "“\(aggregate.name)” adds up values of kind \(kind). Ask for the minimum or the maximum.",
            itemType: request.type.key, attribute: aggregate.key)
    }
}

/// The exact sum of numbers, in binary digits.
private struct BinarySum {
    /// The digits from 2^-1074 on, without carries.
    private var digits = [Int](repeating: 0, count: 2_400)
    private var sign = 1.0

    init(_ doubles: [Double], _ whole: Int128) {
        for double in doubles where double != 0 {
            let lowest = max(Int(double.exponentBitPattern), 1) - 1
            let isNormal = double.exponentBitPattern != 0
            let significand = double.significandBitPattern + (isNormal ? 1 << 52 : 0)
            for bit in 0..<53 where significand >> UInt64(bit) & 1 == 1 {
                digits[lowest + bit] += double < 0 ? -1 : 1
            }
        }
        for bit in 0..<127 where whole.magnitude >> UInt128(bit) & 1 == 1 {
            digits[1074 + bit] += whole < 0 ? -1 : 1
        }
        if Self.carried(digits).isNegative {
            digits = digits.map { -$0 }
            sign = -1
        }
        digits = Self.carried(digits).digits
    }

    private static func carried(_ digits: [Int]) -> (digits: [Int], isNegative: Bool) {
        var carry = 0
        var result = digits
        for place in digits.indices {
            let sum = digits[place] + carry
            result[place] = sum & 1
            carry = sum >> 1
        }
        return (result, carry < 0)
    }

    /// The nearest Double.
    ///
    /// If two are equally near, the one with an even significand.
    var nearest: Double {
        guard let highest = digits.lastIndex(of: 1) else { return 0 }
        // 53 digits, but none below that of the smallest Double.
        let lowest = max(0, highest - 52)
        var significand = digits[lowest...highest].reversed()
            .reduce(UInt64(0)) { $0 * 2 + UInt64($1) }
        let half = lowest > 0 ? digits[lowest - 1] : 0
        let isMore = lowest > 1 && digits[..<(lowest - 1)].contains(1)
        if half == 1, isMore || significand & 1 == 1 { significand += 1 }
        // Computed in two steps, because the power alone may be out of range.
        let first = (lowest - 1074) / 2
        return sign * scalbn(scalbn(Double(significand), first), lowest - 1074 - first)
    }
}
