@_exported public import JustPersist
@_exported public import JustPersistRecords

/// A data store in memory, for tests, previews and caches.
///
/// It keeps the whole contract except persistence: `tearDown()` drops the data.
public typealias InMemoryDataStore = RecordStore<InMemoryEngine>

extension RecordStore where Engine == InMemoryEngine {
    /// A closed, empty store.
    public convenience init(
        threading: DataStoreThreading = .callingThread, errorHandler: DataStoreErrorHandler? = nil
    ) {
        self.init(engine: InMemoryEngine(), threading: threading, errorHandler: errorHandler)
    }

    /// Registers this backend for `DataStores.open("memory:")`.
    ///
    /// Each call opens a separate store. The only common option that its URLs take is `threading`.
    public static func register() {
        DataStores.register(scheme: "memory", settings: (), options: [], common: [.threading]) {
            location, options, _ throws(DataStoreError) in
            guard location.isEmpty else {
                throw DataStoreError(
                    .invalidStoreURL, in: "open",
                    "A store in memory has no path; write “memory:” instead of “memory:\(location)”."
                )
            }
            guard !options.isReadOnly, options.createsIfMissing else {
                throw DataStoreError(
                    .storeNotFound, in: "open",
                    "A store in memory starts empty, so there is none to be read."
                )
            }
            return InMemoryDataStore(
                threading: options.threading, errorHandler: options.errorHandler)
        }
    }
}
