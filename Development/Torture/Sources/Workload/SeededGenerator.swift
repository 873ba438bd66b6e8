/// A random number generator whose numbers depend on its seed alone (SplitMix64).
public struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// The generator for one purpose: the same seed and salts, the same numbers, whatever else runs.
    public init(seed: UInt64, _ salts: Int...) {
        state = seed
        for salt in salts { state = next() ^ UInt64(bitPattern: Int64(salt)) }
    }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A number of a range that is not empty.
    public mutating func int(in range: Range<Int>) -> Int { .random(in: range, using: &self) }

    /// One of the elements of a list that is not empty.
    public mutating func pick<Element>(_ list: [Element]) -> Element {
        list[int(in: list.indices)]
    }
}
