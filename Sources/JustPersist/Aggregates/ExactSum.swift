/// The exact sum of Doubles, rounded only when it is read, so that the order of the numbers does not matter.
///
/// The sum is a multiple of the smallest Double, 2^-1074, in digits of 32 bits. Each digit is stored in 64 bits, which
/// makes carries rare. Only as many digits are kept as the added numbers need.
struct ExactSum {
    /// The position of the first digit that is kept.
    private var start = 0
    private var digits: [Int64] = []
    /// The number of additions since the last carry.
    private var additions = 0

    /// The number 1 is 2^1074 times the smallest Double.
    private static let powerOfOne = 1074

    /// Adds a number, which is finite.
    mutating func add(_ number: Double) {
        let isSubnormal = number.exponentBitPattern == 0
        let significand = number.significandBitPattern | (isSubnormal ? 0 : 1 << 52)
        if significand == 0 { return }
        let power = max(Int(number.exponentBitPattern), 1) - 1
        add(UInt128(significand), power: power, isNegative: number.sign == .minus)
    }

    /// Adds a whole number.
    mutating func add(_ number: Int128) {
        let magnitude = number.magnitude
        for (part, power) in [(magnitude & UInt128(UInt64.max), 0), (magnitude >> 64, 64)] {
            add(part, power: Self.powerOfOne + power, isNegative: number < 0)
        }
    }

    /// Adds a number of at most 64 bits times a power of two.
    private mutating func add(_ number: UInt128, power: Int, isNegative: Bool) {
        var rest = number << UInt128(power % 32)
        var place = power / 32
        while rest > 0 {
            makeRoom(for: place)
            let digit = Int64(truncatingIfNeeded: rest & 0xFFFF_FFFF)
            digits[place - start] += isNegative ? -digit : digit
            rest >>= 32
            place += 1
        }
        additions += 1
        if additions == 1 << 29 { carry() }
    }

    private mutating func makeRoom(for place: Int) {
        if digits.isEmpty { start = place }
        if place < start {
            digits.insert(contentsOf: repeatElement(0, count: start - place), at: 0)
            start = place
        }
        while place - start >= digits.count { digits.append(0) }
    }

    /// Brings each digit but the last one between 0 and 2^32.
    private mutating func carry() {
        var carried: Int64 = 0
        for index in digits.indices {
            let digit = digits[index] + carried
            digits[index] = digit & 0xFFFF_FFFF
            carried = digit >> 32
        }
        if carried != 0 { digits.append(carried) }
        additions = 0
    }

    /// The Double that is nearest to the sum; of two, the even one.
    var rounded: Double {
        var sum = self
        sum.carry()
        let isNegative = (sum.digits.last ?? 0) < 0
        if isNegative {
            for index in sum.digits.indices { sum.digits[index].negate() }
            sum.carry()
        }
        guard let last = sum.digits.lastIndex(where: { $0 != 0 }) else { return 0 }
        // The last three digits have 65 bits at least, more than rounding needs.
        let first = max(0, last - 2)
        var bits: UInt128 = 0
        for index in (first...last).reversed() {
            bits = bits << 32 | UInt128(UInt64(sum.digits[index]))
        }
        let surplus = max(0, UInt128.bitWidth - bits.leadingZeroBitCount - 64)
        var leading = UInt64(bits >> UInt128(surplus))
        let isCut =
            bits & ((1 << UInt128(surplus)) - 1) != 0
            || sum.digits[..<first].contains { $0 != 0 }
        if isCut { leading |= 1 }
        let power = 32 * (sum.start + first) + surplus - Self.powerOfOne
        let magnitude = Double(sign: .plus, exponent: power, significand: Double(leading))
        return isNegative ? -magnitude : magnitude
    }
}
