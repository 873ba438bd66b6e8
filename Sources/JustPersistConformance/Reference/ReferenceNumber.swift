import Foundation
package import JustPersist

/// The exact value of a number of any kind.
///
/// Every number is a finite sequence of decimal digits.
package struct ReferenceNumber: Sendable {
    /// -1, 0 or 1.
    private let sign: Int
    /// The digits without zeros at either end, for the value 0.d₁d₂d₃… × 10^``exponent``.
    ///
    /// Infinity has no digits and the largest exponent.
    private let digits: [UInt8]
    private let exponent: Int

    /// Whether the value is NaN.
    package let isNaN: Bool

    /// The number in a value, with truth values as 0 and 1; `nil` for any other kind.
    package init?(_ value: DataStoreValue) {
        switch value {
        case .bool(let value): self.init(text: value ? "1" : "0")
        case .int(let value): self.init(text: value.description)
        case .decimal(let value): self.init(text: value.isNaN ? nil : value.description)
        case .double(let value): self.init(value)
        default: return nil
        }
    }

    /// The order of two numbers; `nil` if one is NaN.
    package func order(against other: ReferenceNumber) -> ValueOrder? {
        if isNaN || other.isNaN { return nil }
        if sign != other.sign { return sign < other.sign ? .ascending : .descending }
        let magnitudes: ValueOrder
        if exponent != other.exponent {
            magnitudes = exponent < other.exponent ? .ascending : .descending
        } else if digits == other.digits {
            magnitudes = .same
        } else {
            magnitudes =
                digits.lexicographicallyPrecedes(other.digits) ? .ascending : .descending
        }
        return sign < 0 ? magnitudes.reversed : magnitudes
    }

    /// The number in a decimal text; `nil` represents NaN.
    private init(text: String?) {
        guard let text else {
            self.init(sign: 0, digits: [], exponent: 0, isNaN: true)
            return
        }
        let parts = text.drop { $0 == "-" }.split(separator: ".", maxSplits: 1)
        let whole = parts.first ?? ""
        let fraction = parts.count > 1 ? parts[1] : ""
        self.init(
            isNegative: text.hasPrefix("-"), digits: (whole + fraction).utf8.map { $0 - 48 },
            exponent: whole.utf8.count)
    }

    private init(_ double: Double) {
        if double.isNaN {
            self.init(sign: 0, digits: [], exponent: 0, isNaN: true)
        } else if double.isInfinite {
            self.init(sign: double < 0 ? -1 : 1, digits: [], exponent: .max)
        } else if double == 0 {
            self.init(sign: 0, digits: [], exponent: 0)
        } else {
            // The magnitude is whole × 2^power, and 2^-n is 5^n × 10^-n.
            let whole = UInt64(double.magnitude.significand * 0x1p52)
            let power = Int(double.exponent) - 52
            var digits = LongDecimal(whole)
            digits.multiply(by: power < 0 ? 5 : 2, times: power.magnitude)
            self.init(
                isNegative: double < 0, digits: digits.digits,
                exponent: digits.digits.count + min(power, 0))
        }
    }

    private init(isNegative: Bool, digits: [UInt8], exponent: Int) {
        let trimmed = digits.drop { $0 == 0 }
        let leading = digits.count - trimmed.count
        let count = trimmed.lastIndex { $0 != 0 }.map { $0 - trimmed.startIndex + 1 } ?? 0
        self.init(
            sign: count == 0 ? 0 : isNegative ? -1 : 1, digits: Array(trimmed.prefix(count)),
            exponent: count == 0 ? 0 : exponent - leading)
    }

    private init(sign: Int, digits: [UInt8], exponent: Int, isNaN: Bool = false) {
        self.sign = sign
        self.digits = digits
        self.exponent = exponent
        self.isNaN = isNaN
    }
}

/// A whole number of any length, in groups of nine decimal digits, the lowest first.
private struct LongDecimal {
    private var groups: [UInt64] = []

    init(_ number: UInt64) {
        var rest = number
        while rest > 0 {
            groups.append(rest % 1_000_000_000)
            rest /= 1_000_000_000
        }
    }

    mutating func multiply(by factor: UInt64, times: UInt) {
        // Twelve factors at a time: 5^12 times a group does not overflow.
        let twelve = (0..<12).reduce(UInt64(1)) { product, _ in product * factor }
        for _ in 0..<times / 12 { multiply(by: twelve) }
        for _ in 0..<times % 12 { multiply(by: factor) }
    }

    private mutating func multiply(by factor: UInt64) {
        var carry: UInt64 = 0
        for index in groups.indices {
            let product = groups[index] * factor + carry
            groups[index] = product % 1_000_000_000
            carry = product / 1_000_000_000
        }
        if carry > 0 { groups.append(carry) }
    }

    var digits: [UInt8] {
        groups.reversed().flatMap { group in
            let text = Array(String(group).utf8)
            return Array(repeating: 0, count: 9 - text.count) + text.map { $0 - 48 }
        }
    }
}
