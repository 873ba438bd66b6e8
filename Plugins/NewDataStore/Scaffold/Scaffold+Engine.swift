extension Scaffold {
    /// An engine below the record layer, and the store that it becomes.
    var engineSources: [File] {
        [
            File(name: "\(name)DataStore.swift", text: engineStore),
            File(name: "\(name)Engine.swift", text: engine),
            File(name: "\(name)Transaction.swift", text: engineTransaction),
        ]
    }

    private var engineStore: String {
        """
        public import Foundation
        public import JustPersist
        public import JustPersistRecords

        /// A data store in \(name): the record layer does all but keep the bytes.
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
        """
        public import Foundation
        public import JustPersist
        public import JustPersistRecords

        /// \(name) as an ordered, transactional store of bytes.
        ///
        /// The record layer calls it by the rules that stand at `KeyValueEngine`: one write at a time, and
        /// no opening or closing beside a block. So an engine needs no locks of its own for those.
        public final class \(name)Engine: KeyValueEngine {
            /// What the engine promises. The store's capabilities follow from it, and the kit checks them.
            public let traits = KeyValueEngineTraits(
                name: "\(name)", isPersistent: true, durability: .full)

            private let directory: URL

            /// A closed engine whose files are in a directory.
            public init(at directory: URL) { self.directory = directory }

            /// Opens the files, and makes them if they are not there. On failure nothing stays open.
            ///
            /// `StoreDirectory.prepare` finds or makes the directory, and refuses one with other files.
            public func open() throws(DataStoreError) { throw Self.unfilled() }

            /// Gives up the files and their locks. Harmless if the engine is closed.
            public func close() {}

            /// Deletes what a closed engine has kept.
            public func destroy() throws(DataStoreError) { throw Self.unfilled() }

            /// Runs `body` on a snapshot of what is committed, without waiting for a writer.
            public func read(_ body: (any KeyValueReader) throws -> Void) throws {
                let snapshot = try \(name)Snapshot(of: self)
                defer { snapshot.end() }
                try body(snapshot)
            }

            /// Runs `body` in a transaction, and commits if it returns; on an error nothing has changed.
            public func write(_ body: (any KeyValueWriter) throws -> Void) throws {
                let transaction = try \(name)Transaction(of: self)
                defer { transaction.end() }
                try body(transaction)
                try transaction.commit()
            }

        \(unfilled)
        }
        """
    }

    private var engineTransaction: String {
        """
        import JustPersist
        import JustPersistRecords

        /// One snapshot of the engine: reading by key, and by ranges of keys in the order of their bytes.
        class \(name)Snapshot: KeyValueReader {
            /// Takes the snapshot, or for a transaction begins it.
            init(of engine: \(name)Engine) throws(DataStoreError) {
                throw \(name)Engine.unfilled("snapshot")
            }

            /// Gives the snapshot up, and whatever of a transaction was not committed.
            func end() {}

            /// Calls `body` with the value of `key`, uncopied if you can, and tells whether there is one.
            func withValue(
                forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(DataStoreError) -> Void
            ) throws(DataStoreError) -> Bool { throw \(name)Engine.unfilled() }

            /// Calls `body` with the keys from `range.lower` up to, not including, `range.upper`.
            ///
            /// `body` may look up keys and scan in turn: give each scan a cursor of its own.
            func scan(
                _ range: KeyRange, reversed: Bool,
                _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
            ) throws(DataStoreError) { throw \(name)Engine.unfilled() }
        }

        /// One open transaction; it reads what it has written.
        ///
        /// If \(name) has no transactions, give `body` a `KeyValueOverlay` over a snapshot instead, and write
        /// its `changes` in one atomic batch.
        final class \(name)Transaction: \(name)Snapshot, KeyValueWriter {
            /// Stores `value` under `key`, in place of what was there.
            func put(_ value: Span<UInt8>, forKey key: Span<UInt8>) throws(DataStoreError) {
                throw \(name)Engine.unfilled()
            }

            /// Removes `key`, and tells whether it was there.
            func delete(_ key: Span<UInt8>) throws(DataStoreError) -> Bool {
                throw \(name)Engine.unfilled()
            }

            /// Makes all changes visible and durable, or throws and makes none.
            func commit() throws(DataStoreError) { throw \(name)Engine.unfilled() }
        }
        """
    }
}
