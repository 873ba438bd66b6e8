/// The length of a store's change log, with which change streams continue after the program has ended.
///
/// A store whose log has a length writes the changed items with each commit. Streams in other processes read them from
/// the log, and so does a stream that begins with a token of an earlier run. The length is stored in the store: every
/// writer keeps the log, however it opened the store. A new store has no log.
///
/// The oldest commits are dropped as soon as either bound is exceeded by an eighth.
public struct ChangeLogLength: Sendable, Hashable {
    /// The number of commits to keep.
    public var commits: Int
    /// The bytes to keep.
    ///
    /// A change of an item takes about 25 bytes. A commit that would take more than a quarter of this, or more than 1
    /// MiB, is logged without the items of the types that have most changes.
    public var bytes: Int

    /// A log with at most this number of commits, and this number of bytes.
    public init(commits: Int, bytes: Int = 16 << 20) {
        self.commits = commits
        self.bytes = bytes
    }

    /// No log.
    public static let off = ChangeLogLength(commits: 0, bytes: 0)

    /// Whether the store keeps no log.
    public var isOff: Bool { commits <= 0 || bytes <= 0 }
}
