/// How much a store keeps of its history, so that streams of changes can go on where they ended when a program ended.
///
/// A store whose log has a length writes with each commit which items it has changed. Streams in other processes read it
/// there, and so does a stream that begins with a token of an earlier run. The store remembers the length: whoever writes
/// keeps the log, however it was opened. A store is made without a log.
///
/// The oldest commits are dropped as soon as either bound is exceeded by an eighth.
public struct ChangeLogLength: Sendable, Hashable {
    /// The number of commits to keep.
    public var commits: Int
    /// The bytes to keep.
    ///
    /// A change of an item takes about 25 bytes. Of a commit that would take more than a quarter of this, or more than 1 MiB,
    /// the log has only the types that have most changes, and not which items.
    public var bytes: Int

    /// A log of so many commits, within so many bytes.
    public init(commits: Int, bytes: Int = 16 << 20) {
        self.commits = commits
        self.bytes = bytes
    }

    /// No log.
    public static let off = ChangeLogLength(commits: 0, bytes: 0)

    /// Whether this is the length of a log at all.
    public var isOff: Bool { commits <= 0 || bytes <= 0 }
}
