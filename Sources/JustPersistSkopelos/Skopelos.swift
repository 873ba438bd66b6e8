public import Foundation
@_exported public import JustPersist
import JustPersistMemory

/// A store with the interface of Skopelos: blocks that chain, and failures in one place.
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
/// It works over any `DataStore`, which it opens: `Skopelos(dataStore: LMDBDataStore(at: url))`. Inherit from it for a
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
/// What is other than in Skopelos: a `context` is the accessor of its block and cannot leave it, errors are of type
/// `DataStoreError`, and a write is durable when its call returns. Blocks run on the thread that calls, unless the store's
/// `DataStoreThreading` says otherwise: `originals` runs those of `read` on the main thread, as Skopelos does.
///
/// It may be used from any thread. A subclass may be too, if its own properties are.
// Unchecked because it can be inherited from: what is stored here is constant.
open class Skopelos: @unchecked Sendable {
    /// The store below.
    public final let dataStore: any DataStore

    /// A store with this interface, open when the call returns or `completion` is called.
    ///
    /// The store's failures go to ``handleError(_:)`` from now on, and to the handler that it has.
    ///
    /// - Parameters:
    ///   - dataStore: The store; it may be open.
    ///   - allowsConcurrentWritings: Has no effect: the write blocks of a store run one after the other.
    ///   - shouldAddStoreAsynchronously: Whether the store is opened on another thread. Blocks are refused until it is open,
    ///     which is reported.
    ///   - completion: Called when the store was opened or that has failed, which ``handleError(_:)`` is told first; on the
    ///     main queue if that was done asynchronously.
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

    /// A store in memory, which is empty at the start.
    ///
    /// - Parameters:
    ///   - modelURL: Ignored; item classes declare what a model file did.
    ///   - allowsConcurrentWritings: Has no effect: the write blocks of a store run one after the other.
    ///   - shouldAddStoreAsynchronously: Whether the store is opened on another thread.
    ///   - completion: Called when the store was opened, on the main queue if that was done asynchronously.
    public convenience init(
        inMemoryStack modelURL: URL?, allowsConcurrentWritings: Bool = false,
        shouldAddStoreAsynchronously: Bool = false, completion: (@Sendable () -> Void)? = nil
    ) {
        self.init(
            dataStore: InMemoryDataStore(), allowsConcurrentWritings: allowsConcurrentWritings,
            shouldAddStoreAsynchronously: shouldAddStoreAsynchronously, completion: completion)
    }

    /// Not available: a store on disk is chosen by its own type.
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
    /// Errors are logged unless it is overridden.
    open func handleError(_ error: DataStoreError) { error.logWithoutHandler() }

    /// Deletes all data and the store's files, and opens the store anew, empty.
    ///
    /// Waits for the blocks that run. Refused inside a block of the store; a failure goes to ``handleError(_:)``.
    public final func nuke() {
        _ = dataStore.outcome {
            try dataStore.destroy()
            try dataStore.open()
        }
    }
}
