public import Foundation
@_exported public import JustPersist
import JustPersistMemory

/// A store with the interface of Skopelos: blocks that can be chained, and failures handled in one place.
///
/// ```swift
/// let skopelos = Skopelos(inMemoryStack: nil)
/// skopelos.writeSync { context in
///     let user = User.SK_create(context)
///     user.firstname = "John"
///     user.lastname = "Doe"
/// }.read { context in
///     print(User.SK_all(context).map(\.firstname))
/// }
/// ```
///
/// It works with any `DataStore`, which it opens: `Skopelos(dataStore: LMDBDataStore(at: url))`. Subclass it for a
/// shared instance, and to override ``handleError(_:)``:
///
/// ```swift
/// final class SkopelosClient: Skopelos, @unchecked Sendable {
///     static let shared = SkopelosClient(inMemoryStack: nil)
///
///     override func handleError(_ error: DataStoreError) { print(error.message) }
/// }
/// ```
///
/// Differences from Skopelos: a `context` is the accessor of its block and cannot leave it, errors are of type
/// `DataStoreError`, and a write is durable when its call returns. Blocks run on the calling thread, unless the
/// store's `DataStoreThreading` requires another: `originals` runs those of `read` on the main thread, as Skopelos
/// does.
///
/// You can use it from any thread. This also applies to a subclass whose own properties are thread-safe.
open class Skopelos: @unchecked Sendable {
    // Unchecked because the class can be subclassed. Its own stored properties are constant.

    /// The underlying store.
    public final let dataStore: any DataStore

    /// A store with this interface, open when the call returns or `completion` is called.
    ///
    /// The store's failures go to ``handleError(_:)`` from now on, and to the handler that the store already has.
    ///
    /// - Parameters:
    ///   - dataStore: The store; it may be open.
    ///   - allowsConcurrentWritings: Has no effect: the write blocks of a store run one after the other.
    ///   - shouldAddStoreAsynchronously: Whether the store is opened on another thread. Blocks are refused, and
    ///     reported, until it is open.
    ///   - completion: Called when the store is open, or when opening has failed, after ``handleError(_:)``; on the
    ///     main queue if the store is opened asynchronously.
    public init(
        dataStore: any DataStore, allowsConcurrentWritings: Bool = false,
        shouldAddStoreAsynchronously: Bool = false, completion: (@Sendable () -> Void)? = nil
    ) {
        self.dataStore = dataStore
        let handler = dataStore.errorHandler
        dataStore.errorHandler = { [weak self] error in
            handler?(error)
            if let self { self.handleError(error) } else { error.logWithoutHandler() }
        }
        guard shouldAddStoreAsynchronously else {
            dataStore.setup()
            completion?()
            return
        }
        DispatchQueue.global(qos: .userInitiated).async {
            dataStore.setup()
            if let completion { DispatchQueue.main.async { completion() } }
        }
    }

    /// A store in memory, initially empty.
    ///
    /// - Parameters:
    ///   - modelURL: Has no effect: item classes declare the model.
    ///   - allowsConcurrentWritings: Has no effect: the write blocks of a store run one after the other.
    ///   - shouldAddStoreAsynchronously: Whether the store is opened on another thread.
    ///   - completion: Called when the store is open; on the main queue if it is opened asynchronously.
    public convenience init(
        inMemoryStack modelURL: URL?, allowsConcurrentWritings: Bool = false,
        shouldAddStoreAsynchronously: Bool = false, completion: (@Sendable () -> Void)? = nil
    ) {
        self.init(
            dataStore: InMemoryDataStore(), allowsConcurrentWritings: allowsConcurrentWritings,
            shouldAddStoreAsynchronously: shouldAddStoreAsynchronously, completion: completion)
    }

    /// Not available: use the type of a store on disk.
    @available(
        *, unavailable,
        message: "use Skopelos(dataStore: LMDBDataStore(at: url)) or another store on disk"
    )
    public convenience init(
        sqliteStack modelURL: URL, securityApplicationGroupIdentifier: String? = nil,
        allowsConcurrentWritings: Bool = false, shouldAddStoreAsynchronously: Bool = false,
        completion: (@Sendable () -> Void)? = nil
    ) {
        self.init(inMemoryStack: nil)
    }

    /// Called with each failure, on the thread where it happened; override it.
    ///
    /// The default logs errors.
    open func handleError(_ error: DataStoreError) { error.logWithoutHandler() }

    /// Deletes all data and the store's files, and opens the store again, empty.
    ///
    /// Waits for running blocks. It is refused inside a block of the store. Failures go to ``handleError(_:)``.
    public final func nuke() {
        _ = dataStore.outcome {
            try dataStore.destroy()
            try dataStore.open()
        }
    }
}
