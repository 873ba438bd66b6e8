public import JustPersist

/// A snapshot that a server keeps: each answer takes a round trip.
///
/// An engine over a server implements these calls, and passes a ``RemoteReader`` over them to its blocks, which decides what
/// is asked together, ahead, or not at all.
public protocol RemoteSnapshot: AnyObject {
    /// The first entry of the snapshot, which the server sent when the snapshot was taken; no entry if there are no keys.
    var firstEntry: any KeyValuePage { get }

    /// Keys that the server looked up when the snapshot was taken, and the entries of those that exist; no keys if the
    /// engine expects none to be asked for.
    var expected: (keys: [[UInt8]], found: any KeyValuePage)? { get }

    /// Returns the entries of those keys that exist, in any order, and the first entries of each range, in one round trip.
    ///
    /// An entry of a key may have no value, to keep the answer small; the reader asks for it again when it is needed. At
    /// least one entry of an answer that is not empty has its value. The ranges are in ascending order and do not overlap,
    /// and so are their entries.
    ///
    /// - Parameters:
    ///   - keys: The keys to look up.
    ///   - ranges: The ranges to scan.
    ///   - most: The number of entries to return of each range.
    func entries(
        of keys: [[UInt8]], inRanges ranges: [KeyRange], most: Int
    ) throws(DataStoreError) -> (found: any KeyValuePage, inRanges: any KeyValuePage)

    /// Requests the first entries of a range, without waiting for the answer.
    func request(_ request: PageRequest) throws(DataStoreError) -> any PendingPage
}

extension RemoteSnapshot {
    /// `nil`.
    public var expected: (keys: [[UInt8]], found: any KeyValuePage)? { nil }
}

/// A request for the first entries of a range.
public struct PageRequest: Sendable {
    /// The keys.
    public var range: KeyRange
    /// Whether the entries are requested in descending order.
    public var isReversed: Bool
    /// Whether the values may be left out.
    public var isForKeys: Bool
    /// The most entries to return.
    ///
    /// An answer may have fewer, to keep it small, but has one if there is any.
    public var limit: Int
}

/// The answer to a request, which has perhaps not arrived yet.
public protocol PendingPage: AnyObject {
    /// Waits for the answer; called once.
    func receive() throws(DataStoreError) -> any KeyValuePage
}

/// Entries that a server has sent.
public protocol KeyValuePage: AnyObject {
    /// The number of entries.
    var count: Int { get }

    /// The memory that the entries need, in bytes.
    var byteCount: Int { get }

    /// Whether the request has no more entries than these.
    var isLast: Bool { get }

    /// Calls `body` with the key of an entry, and its value if it was sent.
    ///
    /// The bytes are valid only inside `body`.
    func withEntry(
        at place: Int,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>?) throws(DataStoreError) -> Void
    ) throws(DataStoreError)
}
