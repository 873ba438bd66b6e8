extension Scaffold {
    /// A data store of its own, with its accessors and the backing of its items.
    var wrapperSources: [File] {
        [
            File(name: "\(name)DataStore.swift", text: wrapperStore),
            File(name: "\(name)Accessors.swift", text: wrapperAccessors),
            File(name: "\(name)Backing.swift", text: wrapperBacking),
        ]
    }

    private var wrapperStore: String {
        """
        public import Foundation
        public import JustPersist

        /// \(name) behind the contract of JustPersist.
        public final class \(name)DataStore: DataStore {
            /// What the store can do; what is left out here is all that the contract has, but child stores and
            /// sharing between processes.
            ///
            /// Declare no more than \(name) keeps: the kit checks all that is declared, and that the rest is
            /// refused with an error.
            public let capabilities = DataStoreCapabilities(
                persistence: .reopening, isolation: .serializable)

            private let directory: URL
            private let handler: SharedErrorHandler
            /// Keeps the rules between blocks: one writer at a time, none on a closed store.
            private let gate = BlockGate()

            /// A closed store whose files are in a directory.
            public init(at directory: URL, errorHandler: DataStoreErrorHandler? = nil) {
                self.directory = directory
                handler = SharedErrorHandler(errorHandler)
            }

            /// Receives the failures of calls that cannot throw.
            public var errorHandler: DataStoreErrorHandler? {
                get { handler.value }
                set { handler.value = newValue }
            }

            // MARK: Life

            /// Opens \(name), unless it is open.
            public func open() throws {
                try gate.open { throw Self.unfilled() }
            }

            /// Closes \(name), unless it is closed, once the blocks that run or are queued have ended.
            public func close() throws {
                try gate.close("close") { throw Self.unfilled() }
            }

            /// Closes \(name), if it is open, and deletes its files.
            public func destroy() throws {
                try gate.close("destroy", evenIfClosed: true) { throw Self.unfilled() }
            }

            // MARK: Blocks

            /// Runs a block on one snapshot.
            public func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
                try gate.read {
                    let accessor = try \(name)ReadAccessor(of: self)
                    defer { accessor.end() }
                    try block(accessor)
                }
            }

            /// Runs a block in a transaction, and commits.
            public func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
                try gate.write { try write(block) }
            }

            /// Queues a block that may change the store.
            public func enqueueWrite(
                _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
                completion: @escaping @Sendable ((any Error)?) -> Void
            ) {
                gate.enqueueWrite({ try self.write(block) }, completion: completion)
            }

            private func write(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
                let accessor = try \(name)WriteAccessor(of: self)
                defer { accessor.end() }
                try block(accessor)
                try accessor.commit()
            }

        \(unfilled)
        }
        """
    }

    private var wrapperAccessors: String {
        """
        import JustPersist

        /// What a read block asks of \(name).
        class \(name)ReadAccessor: DataStoreReadAccessor {
            let store: \(name)DataStore

            /// Takes the block's snapshot, or for a write block begins its transaction.
            init(of store: \(name)DataStore) throws(DataStoreError) {
                throw \(name)DataStore.unfilled("snapshot")
            }

            /// Gives the snapshot up, and whatever of a transaction was not committed.
            ///
            /// From here on the items of the block are frozen.
            func end() {}

            /// The items that match, in order, sliced: `type.itemClass.init(backing:)` for each.
            ///
            /// `ItemSelection` filters, sorts and slices in memory what \(name) cannot.
            func performFetch(_ request: DataStoreRequest) throws(DataStoreError) -> [any DataStoreItem] {
                try request.validate()
                throw \(name)DataStore.unfilled()
            }

            /// How many items `performFetch` gives. Ask \(name), if it can count without making them.
            func performCount(_ request: DataStoreRequest) throws(DataStoreError) -> Int {
                try performFetch(request).count
            }

            func performFetchItem(
                _ type: ItemType, id: ItemID
            ) throws(DataStoreError) -> (any DataStoreItem)? {
                throw \(name)DataStore.unfilled()
            }

            /// Walks the items. Use a cursor of \(name), if it has one, so that not all are held at once.
            func performForEach(
                _ request: DataStoreRequest, _ body: (any DataStoreItem) throws -> Void
            ) throws {
                for item in try performFetch(request) { try body(item) }
            }

            /// The types in the store, sorted by key, with their attributes. Migration and tools need them.
            func schemas() throws(DataStoreError) -> [ItemSchema] {
                throw \(name)DataStore.unfilled()
            }

            func report(_ error: DataStoreError) { store.report(error) }
        }

        /// What a write block asks of \(name), and does to it. Its queries see its own changes.
        final class \(name)WriteAccessor: \(name)ReadAccessor, DataStoreReadWriteAccessor {
            /// Makes all changes of the block visible and durable, or throws and makes none.
            func commit() throws(DataStoreError) { throw \(name)DataStore.unfilled() }

            /// A new item, without values.
            func performCreate(_ type: ItemType) throws(DataStoreError) -> any MutableDataStoreItem {
                throw \(name)DataStore.unfilled()
            }

            /// Takes in an item that was made outside, under its id; false if that is in the store already.
            func performInsert(_ item: any MutableDataStoreItem) throws(DataStoreError) -> Bool {
                throw \(name)DataStore.unfilled()
            }

            /// Deletes an item; false if it was not there.
            func performDelete(_ item: any DataStoreItem) throws(DataStoreError) -> Bool {
                throw \(name)DataStore.unfilled()
            }

            func performDeleteAll(_ types: [ItemType]) throws(DataStoreError) {
                throw \(name)DataStore.unfilled()
            }

            /// This block's live object for an item of another block; `nil` if it was deleted.
            func performMutableVersion(
                of item: any DataStoreItem
            ) throws(DataStoreError) -> (any MutableDataStoreItem)? {
                throw \(name)DataStore.unfilled()
            }

            /// Makes a type known that has no item class.
            func declare(_ schema: ItemSchema) throws(DataStoreError) {
                throw \(name)DataStore.unfilled()
            }
        }
        """
    }

    private var wrapperBacking: String {
        """
        import JustPersist

        /// The values of one item, where \(name) has them.
        ///
        /// `setValue` is where values are refused: of an item that is frozen or deleted, for an attribute that it
        /// does not have, of a kind that is not declared, over the limit.
        final class \(name)Backing: ItemBacking {
            let id: ItemID
            private let type: ItemType
            private let store: \(name)DataStore

            init(_ type: ItemType, id: ItemID, in store: \(name)DataStore) {
                self.type = type
                self.id = id
                self.store = store
            }

            var itemTypeKey: String { type.key }

            /// The declared attributes; for a type without a class those that the store knows of.
            var attributeNames: [String] { type.schema?.attributes.map(\\.name) ?? [] }

            func value(forAttribute name: String) throws(DataStoreError) -> DataStoreValue {
                throw \(name)DataStore.unfilled()
            }

            /// Refused with `DataStoreError.itemNotMutable(_:attribute:)` outside the item's write block.
            func setValue(
                _ value: DataStoreValue, forAttribute name: String
            ) throws(DataStoreError) {
                throw \(name)DataStore.unfilled()
            }

            func value(at index: Int) throws(DataStoreError) -> DataStoreValue {
                try value(forAttribute: name(at: index))
            }

            func setValue(_ value: DataStoreValue, at index: Int) throws(DataStoreError) {
                try setValue(value, forAttribute: name(at: index))
            }

            func report(_ error: DataStoreError) { store.report(error) }

            private func name(at index: Int) throws(DataStoreError) -> String {
                guard let schema = type.schema, schema.attributes.indices.contains(index) else {
                    throw .unknownAttribute("#\\(index)", ofType: itemTypeKey, in: "value")
                }
                return schema.attributes[index].name
            }
        }
        """
    }
}
