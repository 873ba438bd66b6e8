import JustPersist

/// The state of the change log, stored in the header of a store.
///
/// ```
/// 0   8  commits to keep
/// 8   8  bytes to keep
/// 16  8  number of the first commit in the log
/// 24  8  size of the entries in bytes, keys included
/// ```
///
/// The log has the entries of all commits from the first one in it up to the last commit of the store.
struct ChangeLogState: Sendable, Equatable {
    /// The amount of history to keep.
    var length: ChangeLogLength
    /// The first commit in the log; the commit after the last one if the log is empty.
    var first: UInt64
    /// The size of the entries in bytes.
    var size: UInt64 = 0

    /// An empty log that begins after a commit.
    init(_ length: ChangeLogLength, behind commit: UInt64) {
        self.length = length
        first = commit &+ 1
    }

    init?(decoding bytes: Span<UInt8>, _ range: Range<Int>) {
        guard range.count == 32 else { return nil }
        func number(_ place: Int) -> UInt64 { bytes.word64(at: range.lowerBound + place * 8) }
        length = ChangeLogLength(
            commits: Int(clamping: number(0)), bytes: Int(clamping: number(1)))
        first = number(2)
        size = number(3)
        if length.isOff || max(first, size) >= StoreHeader.mostCommits { return nil }
    }

    func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        for number in [UInt64(length.commits), UInt64(length.bytes), first, size] {
            bytes.append(littleEndian: number)
        }
        return bytes
    }

    /// Whether it is time to drop the oldest entries.
    func isTooLong(at commit: UInt64) -> Bool {
        let commits = UInt64(length.commits)
        let bytes = UInt64(length.bytes)
        // Entries are not dropped at every commit, because dropping an entry costs about as much as writing one.
        return commit &- first >= commits.addingReportingOverflow(commits / 8 + 8).partialValue
            || size > bytes.addingReportingOverflow(bytes / 8).partialValue
    }

    /// The maximum size of one entry in bytes.
    var entryLimit: Int { min(1 << 20, length.bytes / 4) }
}
