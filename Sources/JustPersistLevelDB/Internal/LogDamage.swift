/// The first damaged place in LevelDB's logs, and whether anything was written behind it.
struct LogDamage: Equatable {
    /// The damaged log.
    let fileName: String
    /// Where in it the first record begins that is not what it should be.
    let offset: Int
    /// Whether batches follow in the same log.
    private(set) var isFollowedByBatch = false
    /// Whether batches follow in a later log.
    private(set) var isFollowedByLog = false

    init(fileName: String, offset: Int) {
        self.fileName = fileName
        self.offset = offset
    }

    /// Takes note of a sound batch behind the damage.
    mutating func noteBatch(in log: String) {
        if log == fileName { isFollowedByBatch = true } else { isFollowedByLog = true }
    }
}
