/// A set of page numbers, a bit for each.
struct PageSet {
    private var words: [UInt64: UInt64] = [:]

    func contains(_ number: UInt64) -> Bool {
        words[number / 64, default: 0] & 1 << (number % 64) != 0
    }

    mutating func insert(_ number: UInt64) { words[number / 64, default: 0] |= 1 << (number % 64) }
}
