/// A random number generator whose numbers depend on its seed alone (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// The generator for one purpose: same seed and name, same numbers, whatever else runs.
    init(seed: UInt64, name: String) {
        // FNV-1a, since Swift's own hashes differ from run to run.
        let hash = name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        self.init(seed: seed ^ hash)
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func int(in range: Range<Int>) -> Int { .random(in: range, using: &self) }

    mutating func int(in range: ClosedRange<Int>) -> Int { .random(in: range, using: &self) }

    mutating func bool() -> Bool { .random(using: &self) }

    /// One of the elements of a list that is not empty.
    mutating func pick<Element>(_ list: [Element]) -> Element { list[int(in: list.indices)] }

    mutating func shuffled<Element>(_ list: [Element]) -> [Element] { list.shuffled(using: &self) }
}
