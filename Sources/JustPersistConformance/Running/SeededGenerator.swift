/// A random number generator whose numbers depend on its seed alone (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator {
    /// The seed, for the message of a failing test.
    package let seed: UInt64
    private var state: UInt64

    package init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// The generator for one purpose.
    ///
    /// Its numbers depend only on the seed and the name.
    init(seed: UInt64, name: String) {
        // FNV-1a, because Swift's own hashes differ from run to run.
        let hash = name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        self.init(seed: seed ^ hash)
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    package mutating func int(in range: Range<Int>) -> Int { .random(in: range, using: &self) }

    package mutating func int(in range: ClosedRange<Int>) -> Int {
        .random(in: range, using: &self)
    }

    package mutating func bool() -> Bool { .random(using: &self) }

    /// A random element of a list, which must not be empty.
    package mutating func pick<Element>(_ list: [Element]) -> Element {
        list[int(in: list.indices)]
    }

    package mutating func shuffled<Element>(_ list: [Element]) -> [Element] {
        list.shuffled(using: &self)
    }
}
