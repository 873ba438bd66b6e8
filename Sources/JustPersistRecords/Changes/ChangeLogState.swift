import JustPersist

/// What the header of a store says of its change log.
///
/// ```
/// 0   8  commits to keep
/// 8   8  bytes to keep
/// 16  8  number of the first commit that is kept
/// 24  8  bytes that the entries take, keys included
/// ```
///
/// The entries are those from the first commit that is kept up to the last commit of the store.
struct ChangeLogState: Sendable, Equatable {
    /// How much is kept.
    var length: ChangeLogLength
    /// The first commit that is kept; behind the last one if there is none.
    var first: UInt64
    /// The bytes that the entries take.
    var size: UInt64 = 0

    /// A log that begins behind a commit.
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
        // Not at every commit: to drop entries costs about as much as to write them.
        return commit &- first >= commits.addingReportingOverflow(commits / 8 + 8).partialValue
            || size > bytes.addingReportingOverflow(bytes / 8).partialValue
    }

    /// The bytes that one entry may take.
    var entryLimit: Int { min(1 << 20, length.bytes / 4) }
}
