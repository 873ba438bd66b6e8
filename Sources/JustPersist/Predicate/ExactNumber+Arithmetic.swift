import Foundation

/// Arithmetic as ``DataStorePredicate/Function`` documents it: exact with whole numbers and decimals, and in Doubles
/// if one is involved.
extension ExactNumber {
    static func + (left: Self, right: Self) -> Self {
        if case (.int(let a), .int(let b)) = (left, right) {
            let (sum, isTooLarge) = a.addingReportingOverflow(b)
            if !isTooLarge { return .int(sum) }
        }
        return calculate(left, right, { $0 + $1 }, { $0 + $1 })
    }

    static func - (left: Self, right: Self) -> Self {
        if case (.int(let a), .int(let b)) = (left, right) {
            let (difference, isTooLarge) = a.subtractingReportingOverflow(b)
            if !isTooLarge { return .int(difference) }
        }
        return calculate(left, right, { $0 - $1 }, { $0 - $1 })
    }

    static func * (left: Self, right: Self) -> Self {
        if case (.int(let a), .int(let b)) = (left, right) {
            let (product, isTooLarge) = a.multipliedReportingOverflow(by: b)
            if !isTooLarge { return .int(product) }
        }
        return calculate(left, right, { $0 * $1 }, { $0 * $1 })
    }

    /// The quotient, without the remainder for two whole numbers; `nil` for a division of exact numbers by zero.
    static func / (left: Self, right: Self) -> Self? {
        if case (.int(let a), .int(let b)) = (left, right) {
            if b == 0 { return nil }
            let (quotient, isTooLarge) = a.dividedReportingOverflow(by: b)
            if !isTooLarge { return .int(quotient) }
        }
        return left.divided(by: right)
    }

    /// The quotient with its fraction.
    func divided(by divisor: Self) -> Self? {
        switch divisor {
        case .int(0) where !isDouble: return nil
        case .decimal(let number) where number.isZero && !isDouble: return nil
        default: break
        }
        return Self.calculate(self, divisor, { $0 / $1 }, { $0 / $1 })
    }

    /// The remainder of the division, with the sign of this number; `nil` for a division of whole numbers by zero.
    func remainder(dividingBy divisor: Self) -> Self? {
        if case (.int(let a), .int(let b)) = (self, divisor) {
            if b == 0 { return nil }
            // The least number has no negative, and so no quotient by -1.
            return .int(b == -1 ? 0 : a % b)
        }
        return .double(asDouble.truncatingRemainder(dividingBy: divisor.asDouble))
    }

    func raised(to exponent: Self) -> Self {
        if case (.int(let base), .int(let exponent)) = (self, exponent), exponent >= 0,
            let result = Self.power(base, exponent)
        {
            return .int(result)
        }
        return .double(pow(asDouble, exponent.asDouble))
    }

    var magnitudeNumber: Self {
        switch self {
        case .int(let value):
            value == .min ? .decimal(Decimal(value.magnitude)) : .int(abs(value))
        case .double(let value): .double(value.magnitude)
        case .decimal(let value): .decimal(value.isNaN ? value : value.magnitude)
        }
    }

    /// The number without its fraction: rounded down, up, or towards zero.
    func rounded(_ rule: FloatingPointRoundingRule) -> Self {
        switch self {
        case .int: return self
        case .double(let value): return .double(value.rounded(rule))
        case .decimal(let value):
            if value.isNaN || value.exponent >= 0 { return self }
            return .decimal(value.rounded(rule))
        }
    }

    /// The closest binary number, with the sign of zero.
    var asDouble: Double { if case .double(let value) = self { value } else { nearestDouble } }

    /// The number as a value.
    var value: DataStoreValue {
        switch self {
        case .int(let value): .int(value)
        case .double(let value): .double(value)
        case .decimal(let value): .decimal(value)
        }
    }

    var isDouble: Bool { if case .double = self { true } else { false } }
    var isDecimal: Bool { if case .decimal = self { true } else { false } }

    /// The number as a decimal for calculations; `nil` for a Double, and for decimals so large or so small that the
    /// exponent of a result might not fit: Foundation traps on some of those.
    private var decimal: Decimal? {
        switch self {
        case .int(let value): Decimal(value)
        case .double: nil
        case .decimal(let value):
            value.isNaN || value.exponent.magnitude > 40 ? nil : value
        }
    }

    private static func calculate(
        _ left: Self, _ right: Self, _ exactly: (Decimal, Decimal) -> Decimal,
        _ approximately: (Double, Double) -> Double
    ) -> Self {
        if let a = left.decimal, let b = right.decimal { return .decimal(exactly(a, b)) }
        return .double(approximately(left.asDouble, right.asDouble))
    }

    /// `nil` if the power does not fit into 64 bits.
    private static func power(_ base: Int64, _ exponent: Int64) -> Int64? {
        var (result, square, rest) = (Int64(1), base, exponent)
        while rest > 0 {
            if rest & 1 == 1 {
                let (product, isTooLarge) = result.multipliedReportingOverflow(by: square)
                if isTooLarge { return nil }
                result = product
            }
            rest >>= 1
            if rest == 0 { return result }
            let (product, isTooLarge) = square.multipliedReportingOverflow(by: square)
            if isTooLarge { return nil }
            square = product
        }
        return result
    }
}

extension Decimal {
    /// The number without its fraction.
    fileprivate func rounded(_ rule: FloatingPointRoundingRule) -> Decimal {
        let whole = description.prefix { $0 != "." }
        // A decimal has no negative zero; its bit pattern is NaN.
        let truncated = whole == "-0" ? 0 : Decimal(string: String(whole)) ?? self
        return switch rule {
        case .down where self < truncated: truncated - 1
        case .up where self > truncated: truncated + 1
        default: truncated
        }
    }
}
