import Foundation

/// The running totals of one attribute over the items of a group.
package struct AggregateTotal {
    /// The totals that are needed in addition to the number of values.
    package struct Needs: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        static let sum = Needs(rawValue: 1)
        static let minimum = Needs(rawValue: 2)
        static let maximum = Needs(rawValue: 4)
    }

    /// The number of values that are not null.
    private var count = 0
    private var minimum = DataStoreValue.null
    private var maximum = DataStoreValue.null

    // The sum in parts, by kind of number.
    private var whole: Int128 = 0
    private var decimal: Decimal?
    private var double: ExactSum?
    /// The sum of the infinities and of NaN.
    private var notFinite = 0.0

    package init() {}

    /// Adds a value; returns false if a sum is needed and the value cannot be added.
    package mutating func add(_ value: DataStoreValue, _ needs: Needs) -> Bool {
        switch value {
        case .null: return true
        case .int(let number): addInteger(number, needs)
        case .double(let number): addDouble(number, needs)
        default:
            if needs.contains(.sum) {
                guard let number = ExactNumber(value) else { return false }
                addToSum(number)
            }
            count += 1
            addExtreme(value, needs)
        }
        return true
    }

    /// Adds a whole number.
    @inline(__always)
    package mutating func addInteger(_ number: Int64, _ needs: Needs) {
        count += 1
        if needs.contains(.sum) { whole += Int128(number) }
        if needs == .sum { return }
        addExtreme(.int(number), needs)
    }

    /// Adds a floating-point number.
    @inline(__always)
    package mutating func addDouble(_ number: Double, _ needs: Needs) {
        count += 1
        if needs.contains(.sum) { addToSum(number) }
        if needs == .sum { return }
        addExtreme(.double(number), needs)
    }

    private mutating func addToSum(_ number: Double) {
        if double == nil { double = ExactSum() }
        if number.isFinite { double?.add(number) } else { notFinite += number }
    }

    private mutating func addToSum(_ number: ExactNumber) {
        switch number {
        case .int(let number): whole += Int128(number)
        case .decimal(let number) where !number.isNaN && number.exponent.magnitude <= 40:
            // Foundation traps on calculations with some decimals that have greater exponents.
            decimal = (decimal ?? 0) + number
        case .decimal, .double: addToSum(number.asDouble)
        }
    }

    @inline(__always)
    private mutating func addExtreme(_ value: DataStoreValue, _ needs: Needs) {
        if needs.contains(.minimum),
            minimum.isNull || value.sortOrder(against: minimum) == .ascending
        {
            minimum = value
        }
        if needs.contains(.maximum),
            maximum.isNull || value.sortOrder(against: maximum) == .descending
        {
            maximum = value
        }
    }

    /// The result of a function over the values.
    func result(_ function: DataStoreAggregate.Function) -> DataStoreValue {
        switch function {
        case .count: return .int(Int64(count))
        case .minimum: return minimum
        case .maximum: return maximum
        case .sum: return sum.value
        case .average:
            if count == 0 { return .null }
            if decimal != nil, double == nil {
                return sum.divided(by: .int(Int64(count)))?.value ?? .null
            }
            let total = double == nil ? Double(whole) : sum.asDouble
            return .double(total / Double(count))
        }
    }

    private var sum: ExactNumber {
        if var exact = double {
            // The bits of a NaN computed from infinities depend on the processor.
            if notFinite.isNaN { return .double(.nan) }
            if notFinite != 0 { return .double(notFinite) }
            exact.add(whole)
            if let decimal { exact.add(ExactNumber.decimal(decimal).asDouble) }
            return .double(exact.rounded)
        }
        if let decimal { return .decimal(decimal + Decimal(wide: whole)) }
        return Int64(exactly: whole).map { .int($0) } ?? .decimal(Decimal(wide: whole))
    }
}

extension Decimal {
    /// A number of up to 38 digits.
    fileprivate init(wide number: Int128) {
        self = Int64(exactly: number).map { Decimal($0) } ?? Decimal(string: "\(number)") ?? .nan
    }
}
