/// The first damaged place in LevelDB's logs, and whether batches follow it.
struct LogDamage: Equatable {
    /// The damaged log.
    let fileName: String
    /// The start of the first damaged record in the log.
    let offset: Int
    /// Whether batches follow in the same log.
    private(set) var isFollowedByBatch = false
    /// Whether batches follow in a later log.
    private(set) var isFollowedByLog = false

    init(fileName: String, offset: Int) {
        self.fileName = fileName
        self.offset = offset
    }

    /// Notes an intact batch after the damage.
    mutating func noteBatch(in log: String) {
        if log == fileName { isFollowedByBatch = true } else { isFollowedByLog = true }
    }
}
