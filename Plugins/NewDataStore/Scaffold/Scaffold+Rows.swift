extension Scaffold {
    /// The snapshot and the transaction of a framework with rows.
    var rowTransaction: String {
        """
        import JustPersist
        import JustPersistRecords

        /// One snapshot of the rows: items by type and id, in the order of their ids.
        ///
        /// Types and attributes have numbers here; their names are in the catalog.
        class \(name)Snapshot: RowReader {
            /// Takes the snapshot, or for a transaction begins it.
            init(of engine: \(name)Engine) throws(DataStoreError) {
                throw \(name)Engine.unfilled("snapshot")
            }

            /// Gives the snapshot up, and whatever of a transaction was not committed.
            func end() {}

            /// The bytes that `setCatalog` was given last; `nil` in a new store.
            func catalog() throws(DataStoreError) -> [UInt8]? { throw \(name)Engine.unfilled() }

            /// The numbers of the types that have rows.
            func types() throws(DataStoreError) -> [Int] { throw \(name)Engine.unfilled() }

            /// The row of an item; `nil` if there is none.
            func row(_ id: ItemID, ofType type: Int) throws(DataStoreError) -> ItemRow? {
                throw \(name)Engine.unfilled()
            }

            /// Calls `body` with each row of a type whose id is in `ids`, in their order or the opposite one.
            ///
            /// Values that cannot be read are `nil`: a damaged row must not hide the others.
            func scan(
                _ ids: ClosedRange<ItemID>, ofType type: Int, reversed: Bool,
                _ body: (ItemRow) throws(DataStoreError) -> ScanStep
            ) throws(DataStoreError) { throw \(name)Engine.unfilled() }
        }

        /// One open transaction; it reads what it has written.
        final class \(name)Transaction: \(name)Snapshot, RowWriter {
            /// Stores what the record layer knows of the types.
            func setCatalog(_ bytes: [UInt8]) throws(DataStoreError) { throw \(name)Engine.unfilled() }

            /// Stores a row, in place of the one with its id.
            func put(_ row: ItemRow, ofType type: Int) throws(DataStoreError) {
                throw \(name)Engine.unfilled()
            }

            /// Deletes the row of an item, and returns whether there was one.
            func delete(_ id: ItemID, ofType type: Int) throws(DataStoreError) -> Bool {
                throw \(name)Engine.unfilled()
            }

            /// Deletes all rows of a type, and gives their number.
            func deleteAll(ofType type: Int) throws(DataStoreError) -> Int {
                throw \(name)Engine.unfilled()
            }

            /// Makes all changes visible and durable, or throws and makes none.
            func commit() throws(DataStoreError) { throw \(name)Engine.unfilled() }
        }
        """
    }
}
