import Foundation

/// A number as requests compare it: by its exact value, independent of its kind.
enum ExactNumber {
    case int(Int64)
    case double(Double)
    case decimal(Decimal)

    /// The number in a value, with truth values as 0 and 1; `nil` for any other kind.
    init?(_ value: DataStoreValue) {
        switch value {
        case .bool(let value): self = .int(value ? 1 : 0)
        case .int(let value): self = .int(value)
        case .double(let value): self = .double(value)
        case .decimal(let value): self = .decimal(value)
        default: return nil
        }
    }

    var isNaN: Bool {
        switch self {
        case .int: false
        case .double(let value): value.isNaN
        case .decimal(let value): value.isNaN
        }
    }

    /// The closest binary number: equal for equal numbers, and so suitable for hashing.
    var nearestDouble: Double {
        switch self {
        case .int(let value): Double(value)
        // Adding zero turns -0.0, which equals 0, into 0.0.
        case .double(let value): value + 0
        // Text is the only conversion that rounds correctly.
        case .decimal(let value): Double(value.description) ?? .nan
        }
    }

    /// The order of two numbers; `nil` if one of them is NaN.
    func order(against other: ExactNumber) -> ValueOrder? {
        if isNaN || other.isNaN { return nil }
        switch (self, other) {
        case (.int(let a), .int(let b)): return ValueOrder(a, b)
        case (.double(let a), .double(let b)): return ValueOrder(a, b)
        case (.int(let a), .double(let b)): return Self.order(a, against: b)
        case (.double(let a), .int(let b)): return Self.order(b, against: a).reversed
        default: break
        }
        if case .double(let a) = self, a.isInfinite { return ValueOrder(a, 0) }
        if case .double(let b) = other, b.isInfinite { return ValueOrder(0, b) }
        let signs = ValueOrder(signum, other.signum)
        guard signs == .same, signum != 0 else { return signs }
        let magnitudes = ScaledInteger.order(magnitude, against: other.magnitude)
        return signum > 0 ? magnitudes : magnitudes.reversed
    }

    private static func order(_ int: Int64, against double: Double) -> ValueOrder {
        if double >= 0x1p63 { return .ascending }
        if double < -0x1p63 { return .descending }
        let whole = double.rounded(.towardZero)
        let order = ValueOrder(int, Int64(whole))
        return order == .same ? ValueOrder(whole, double) : order
    }

    private var signum: Int {
        switch self {
        case .int(let value): Int(value.signum())
        case .double(let value): value > 0 ? 1 : value < 0 ? -1 : 0
        case .decimal(let value): value.isZero ? 0 : value.sign == .minus ? -1 : 1
        }
    }

    /// The absolute value, for a number that is finite and not zero.
    private var magnitude: ScaledInteger {
        switch self {
        case .int(let value):
            return ScaledInteger(UInt128(value.magnitude))
        case .double(let value):
            let bits = UInt128(value.magnitude.significand * 0x1p52)
            return ScaledInteger(bits, powerOfTwo: Int(value.exponent) - 52)
        case .decimal(let value):
            let digits = UInt128(value.significand.description) ?? 0
            return ScaledInteger(digits, powerOfTen: value.exponent)
        }
    }
}

/// A positive integer of any size times a power of ten and a power of two.
private struct ScaledInteger {
    /// The integer, least significant word first.
    private var words: [UInt32]
    private var powerOfTen: Int
    private var powerOfTwo: Int

    init(_ integer: UInt128, powerOfTen: Int = 0, powerOfTwo: Int = 0) {
        words = stride(from: 0, to: 128, by: 32).map {
            UInt32(truncatingIfNeeded: integer >> UInt128($0))
        }
        self.powerOfTen = powerOfTen
        self.powerOfTwo = powerOfTwo
    }

    /// The exact order of two numbers, which costs at most some 60 words of arithmetic.
    static func order(_ first: ScaledInteger, against second: ScaledInteger) -> ValueOrder {
        let ten = min(first.powerOfTen, second.powerOfTen)
        let two = min(first.powerOfTwo, second.powerOfTwo)
        let a = first.integer(inUnitsOfTen: ten, two: two)
        let b = second.integer(inUnitsOfTen: ten, two: two)
        guard a.count == b.count else { return ValueOrder(a.count, b.count) }
        for (x, y) in zip(a.reversed(), b.reversed()) where x != y { return ValueOrder(x, y) }
        return .same
    }

    private func integer(inUnitsOfTen ten: Int, two: Int) -> [UInt32] {
        var copy = self
        for _ in ten..<powerOfTen { copy.multiply(by: 10) }
        let shift = powerOfTwo - two
        for _ in 0..<shift / 31 { copy.multiply(by: 1 << 31) }
        copy.multiply(by: 1 << UInt32(shift % 31))
        while copy.words.last == 0 { copy.words.removeLast() }
        return copy.words
    }

    private mutating func multiply(by factor: UInt32) {
        var carry: UInt64 = 0
        for index in words.indices {
            let product = UInt64(words[index]) * UInt64(factor) + carry
            words[index] = UInt32(truncatingIfNeeded: product)
            carry = product >> 32
        }
        if carry > 0 { words.append(UInt32(carry)) }
    }
}
