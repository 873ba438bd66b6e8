import Foundation
import JustPersist

/// Arithmetic in integers of 128 bits, decimals and Doubles.
enum ReferenceArithmetic {
    /// The result of an operator on two numbers; null if one is not a number.
    static func calculate(
        _ sign: String, _ a: DataStoreValue, _ b: DataStoreValue
    ) -> DataStoreValue {
        guard let x = double(a), let y = double(b) else { return .null }
        if let a = whole(a), let b = whole(b) {
            if sign == "/" || sign == "%", b == 0 { return .null }
            let (a, b) = (Int128(a), Int128(b))
            let result =
                switch sign {
                case "+": a + b
                case "-": a - b
                case "*": a * b
                case "/": a / b
                default: a % b
                }
            if let result = Int64(exactly: result) { return .int(result) }
            return Decimal(string: result.description).map { .decimal($0) } ?? .null
        }
        if sign == "/", a.kind != .double, b.kind != .double, isZero(b) { return .null }
        if sign != "%", let a = decimal(a), let b = decimal(b) {
            return switch sign {
            case "+": .decimal(a + b)
            case "-": .decimal(a - b)
            case "*": .decimal(a * b)
            default: .decimal(a / b)
            }
        }
        return switch sign {
        case "+": .double(x + y)
        case "-": .double(x - y)
        case "*": .double(x * y)
        case "/": .double(x / y)
        default: .double(fmod(x, y))
        }
    }

    static func power(_ a: DataStoreValue, _ b: DataStoreValue) -> DataStoreValue {
        guard let x = double(a), let y = double(b) else { return .null }
        if let base = whole(a), let exponent = whole(b), exponent >= 0 {
            switch (base, exponent) {
            case (_, 0), (1, _): return .int(1)
            case (0, _): return .int(0)
            case (-1, _): return .int(exponent % 2 == 0 ? 1 : -1)
            default:
                var result: Int128 = 1
                for _ in 0..<min(exponent, 64) {
                    result *= Int128(base)
                    if Int64(exactly: result) == nil { return .double(pow(x, y)) }
                }
                if exponent <= 64 { return .int(Int64(result)) }
            }
        }
        return .double(pow(x, y))
    }

    static func rounded(
        _ value: DataStoreValue, _ rule: FloatingPointRoundingRule
    ) -> DataStoreValue {
        switch value {
        case .bool, .int: return plain(value)
        case .double(let number): return .double(number.rounded(rule))
        case .decimal(let number):
            if number.isNaN { return value }
            // The digits before the decimal point, with a magnitude of one more if the dropped fraction is rounded away
            // from 0.
            let digits = number.description.split(separator: ".", omittingEmptySubsequences: false)
            let hasFraction = digits.count > 1 && digits[1].contains { $0 != "0" }
            let isNegative = number < 0
            let magnitude =
                Decimal(string: digits[0].filter { $0 != "-" }) ?? .nan
            let isAway = hasFraction && rule == (isNegative ? .down : .up)
            let size = isAway ? magnitude + 1 : magnitude
            return .decimal(isNegative && !size.isZero ? -size : size)
        default: return .null
        }
    }

    /// A truth value as 0 or 1, and any other value unchanged.
    static func plain(_ value: DataStoreValue) -> DataStoreValue {
        if case .bool(let isTrue) = value { .int(isTrue ? 1 : 0) } else { value }
    }

    /// The value as an integer, with truth values as 0 and 1; `nil` for all other kinds.
    static func whole(_ value: DataStoreValue) -> Int64? {
        if case .int(let number) = plain(value) { number } else { nil }
    }

    /// The nearest Double; `nil` if the value is not a number.
    static func double(_ value: DataStoreValue) -> Double? {
        switch plain(value) {
        case .int(let number): Double(number)
        case .double(let number): number
        case .decimal(let number): number.isNaN ? .nan : Double(number.description)
        default: nil
        }
    }

    /// The value as a decimal, if it is calculated as one.
    private static func decimal(_ value: DataStoreValue) -> Decimal? {
        switch plain(value) {
        case .int(let number): Decimal(number)
        case .decimal(let number):
            !number.isNaN && (-40...40).contains(number.exponent) ? number : nil
        default: nil
        }
    }

    private static func isZero(_ value: DataStoreValue) -> Bool {
        ReferenceOrder.isEqual(value, .int(0))
    }
}
