/// Stores a store's error handler, which any thread may replace.
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

    /// Stores a handler; none by default.
    public init(_ handler: DataStoreErrorHandler? = nil) { current = Locked(handler) }

    /// The handler; `nil` if there is none.
    public var value: DataStoreErrorHandler? {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }
}
