/// Where a store keeps its error handler, which any thread may replace.
///
/// ```swift
/// private let handler: SharedErrorHandler
///
/// public var errorHandler: DataStoreErrorHandler? {
///     get { handler.value }
///     set { handler.value = newValue }
/// }
/// ```
public final class SharedErrorHandler: Sendable {
    private let current: Locked<DataStoreErrorHandler?>

    /// Keeps a handler, or none at first.
    public init(_ handler: DataStoreErrorHandler? = nil) { current = Locked(handler) }

    /// The handler; `nil` if there is none.
    public var value: DataStoreErrorHandler? {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }
}
