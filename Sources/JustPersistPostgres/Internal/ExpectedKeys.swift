/// The keys that write blocks probably look up, because earlier ones did: their entries come with the first answer.
///
/// These are short keys, such as those of the counters of items, which each block that creates or deletes asks for. Keys
/// that contain an id are longer, and differ from block to block.
struct ExpectedKeys {
    private(set) var keys: [[UInt8]] = []

    private static let most = 32
    private static let longest = 8

    static func isShort(_ key: [UInt8]) -> Bool { key.count <= longest }

    /// Adds keys that a block looked up.
    mutating func add(_ more: [[UInt8]]) {
        for key in more where !keys.contains(key) {
            if keys.count == Self.most { keys = [] }
            keys.append(key)
        }
    }
}
