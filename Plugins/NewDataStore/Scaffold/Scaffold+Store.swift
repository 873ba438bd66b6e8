extension Scaffold {
    /// The new store, and the engine below it.
    var sources: [File] {
        [
            File(name: "\(name)DataStore.swift", text: store),
            File(name: "\(name)Engine.swift", text: engine),
            File(
                name: "\(name)Transaction.swift", text: isKeyValue ? keyTransaction : rowTransaction
            ),
        ]
    }

    private var store: String {
        """
        public import Foundation
        @_exported public import JustPersist
        @_exported public import JustPersistRecords

        /// A data store in \(name): the record layer does all but keep the \(isKeyValue ? "bytes" : "rows").
        public typealias \(name)DataStore = RecordStore<\(name)Engine>

        extension RecordStore where Engine == \(name)Engine {
            /// A closed store in a directory.
            public convenience init(
                at directory: URL, threading: DataStoreThreading = .callingThread,
                errorHandler: DataStoreErrorHandler? = nil
            ) {
                self.init(
                    engine: \(name)Engine(at: directory), threading: threading,
                    errorHandler: errorHandler)
            }

            /// Opens the store in a directory, and makes it if it is not there.
            public static func open(
                at directory: URL, threading: DataStoreThreading = .callingThread,
                errorHandler: DataStoreErrorHandler? = nil
            ) throws -> \(name)DataStore {
                let store = \(name)DataStore(
                    at: directory, threading: threading, errorHandler: errorHandler)
                try store.open()
                return store
            }

            /// Makes `DataStores.open("\(name.lowercased()):/path")` know this backend.
            public static func register() {
                let scheme = "\(name.lowercased())"
                DataStores.register(scheme: scheme) { location, options throws(DataStoreError) in
                    // Hand these three to the engine, or go on refusing what it cannot do.
                    guard options.durability == .full, !options.isReadOnly, options.createsIfMissing
                    else {
                        throw DataStoreError(
                            .unsupported, in: "open",
                            "\(name) takes no other durability, is not opened read-only, and is made.")
                    }
                    return \(name)DataStore(
                        at: try StoreDirectory.url(location, scheme: scheme),
                        threading: options.threading, errorHandler: options.errorHandler)
                }
            }
        }
        """
    }

    private var engine: String {
        let (conformance, read, write, part) =
            isKeyValue
            ? ("KeyValue", "read", "write", "bytes") : ("Row", "readRows", "writeRows", "rows")
        return """
            public import Foundation
            public import JustPersist
            public import JustPersistRecords

            /// \(name) as a transactional store of \(part).
            ///
            /// The record layer calls it by the rules that stand at `KeyValueEngine`: one write at a time, and
            /// no opening or closing beside a block. So an engine needs no locks of its own for those.
            public final class \(name)Engine: \(conformance)Engine {
                /// What the engine promises. The store's capabilities follow from it, and the kit checks them.
                public let traits = KeyValueEngineTraits(
                    name: "\(name)", isPersistent: true, durability: .full)

                private let files: URL

                /// A closed engine whose files are in a directory.
                public init(at directory: URL) { files = directory }

                deinit { close() }

            /// Where the files are; `nil` if there are none.
                public var directory: URL? { files }

                /// Opens the files, and makes them if they are not there. On failure nothing stays open.
                ///
                /// `StoreDirectory.prepare` finds or makes the directory, and refuses one with other files.
                /// `OpenStores.claim` keeps a store from being opened twice in a process.
                public func open() throws(DataStoreError) { throw Self.unfilled() }

                /// Gives up the files and their locks. Harmless if the engine is closed.
                public func close() {}

                /// Deletes what a closed engine has kept.
                public func destroy() throws(DataStoreError) { throw Self.unfilled() }

                /// Runs `body` on a snapshot of what is committed, without waiting for a writer.
                public func \(read)(_ body: (any \(conformance)Reader) throws -> Void) throws {
                    let snapshot = try \(name)Snapshot(of: self)
                    defer { snapshot.end() }
                    try body(snapshot)
                }

                /// Runs `body` in a transaction, and commits if it returns; on an error nothing has changed.
                public func \(write)(_ body: (any \(conformance)Writer) throws -> Void) throws {
                    let transaction = try \(name)Transaction(of: self)
                    defer { transaction.end() }
                    try body(transaction)
                    try transaction.commit()
                }

            \(unfilled)
            }
            """
    }
}
