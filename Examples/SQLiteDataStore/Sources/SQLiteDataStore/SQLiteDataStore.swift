public import Foundation
@_exported public import JustPersist
@_exported public import JustPersistRecords

/// A data store in SQLite, through GRDB: an example of making any framework that keeps rows a store of JustPersist.
///
/// ```swift
/// let store = SQLiteDataStore(at: URL(filePath: "/var/lib/app"))
/// try store.open()
/// ```
///
/// The store is a directory. Several processes may have it open; a write block waits for another process's write
/// block, and is refused with `.lockedByAnotherProcess` after a minute.
public typealias SQLiteDataStore = RecordStore<SQLiteEngine>

extension RecordStore where Engine == SQLiteEngine {
    /// A closed store in a directory, which is created when the store is opened.
    public convenience init(
        at url: URL, options: DataStoreOptions = DataStoreOptions(),
        limits: DataStoreLimits = .contract
    ) {
        self.init(
            engine: SQLiteEngine(at: url, options: options), threading: options.threading,
            limits: limits, errorHandler: options.errorHandler)
    }

    /// Makes `DataStores.open("sqlite:/path")` support this backend.
    public static func register() {
        DataStores.register(scheme: "sqlite") { location, options throws(DataStoreError) in
            SQLiteDataStore(
                at: try StoreDirectory.url(location, scheme: "sqlite"), options: options)
        }
    }
}
