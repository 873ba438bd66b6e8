/// Numbers of pages, as bits of words.
struct PageSet {
    private var words: [UInt64: UInt64] = [:]

    func contains(_ number: UInt64) -> Bool {
        words[number / 64, default: 0] & 1 << (number % 64) != 0
    }

    mutating func insert(_ number: UInt64) { words[number / 64, default: 0] |= 1 << (number % 64) }
}
