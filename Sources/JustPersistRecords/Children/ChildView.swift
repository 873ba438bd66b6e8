import JustPersist

/// A child's changes as keys and values over one committed state of its parent.
struct ChildView: Sendable {
    /// What differs from the parent: records, entries of indexes, numbers of items, the catalog, and the header.
    private(set) var keys: OrderedKeyMap<[UInt8]?>
    /// Stands for what the child sees: no other view of it has the same.
    private(set) var number: UInt64
    /// The number of the changes that are in it.
    private(set) var changes: UInt64
    /// The parent's state.
    let parentCommit: UInt64
    let parentSnapshot: UInt64?
    /// The version of the catalog in it.
    private(set) var catalogVersion: UInt64

    /// What views and their catalogs are told apart by: no two views have one number, and no two catalogs one version.
    ///
    /// A block that adds to a view counts on from its numbers. A view that is made anew begins far behind all numbers that
    /// were used; its catalog keeps its version only if it is the same one, the parent's with nothing added.
    struct Numbers: Sendable {
        private(set) var commit: UInt64 = 0
        /// The version of the catalog if the child has nothing to add to the parent's.
        private(set) var plainCatalog: UInt64 = 0
        /// The version if it has.
        private(set) var ownCatalog: UInt64 = 0
        private var parentCatalog: UInt64?
        private static let step: UInt64 = 1 << 24

        /// Those for a new view over a state of the parent with a version of the catalog.
        mutating func next(for parentCatalog: UInt64) -> Numbers {
            commit += Self.step
            let last = max(plainCatalog, ownCatalog)
            if self.parentCatalog != parentCatalog {
                self.parentCatalog = parentCatalog
                plainCatalog = last + Self.step
                ownCatalog = plainCatalog
            }
            ownCatalog = max(last, ownCatalog) + Self.step
            return self
        }

        /// Notes the numbers that a commit has used.
        mutating func note(_ header: StoreHeader, over view: ChildView) {
            commit = max(commit, header.commit)
            if header.catalogVersion == view.catalogVersion { return }
            ownCatalog = max(ownCatalog, header.catalogVersion)
            // The next plain catalog must not lead to that version once more.
            parentCatalog = nil
        }
    }

    /// The changes over the state that a reader of the parent sees.
    init(
        of changes: ChildChanges, over reader: any KeyValueReader, _ header: StoreHeader,
        _ catalog: Catalog, _ numbers: Numbers, in context: StoreContext
    ) throws(DataStoreError) {
        var own = header
        own.commit = numbers.commit
        // A child has no history of its own to keep.
        own.changeLog = nil
        var types = catalog
        types.version = numbers.plainCatalog
        let overlay = KeyValueOverlay(over: reader)
        let block = WriteBlock(writer: overlay, header: own, catalog: types, context: context)
        defer { block.end() }
        _ = try block.apply(changes.items, for: .view)
        if block.hasChangedTypes { block.known.catalog.version = numbers.ownCatalog }
        try block.finish()
        keys = overlay.changes
        number = numbers.commit + 1
        self.changes = changes.number
        parentCommit = header.commit
        parentSnapshot = reader.snapshotNumber
        catalogVersion = block.known.catalog.version
    }

    /// The view behind a block that has added to this one.
    func followed(
        by keys: OrderedKeyMap<[UInt8]?>, _ header: StoreHeader, changes: UInt64
    ) -> ChildView {
        var view = self
        view.keys = keys
        view.number = header.commit
        view.catalogVersion = header.catalogVersion
        view.changes = changes
        return view
    }
}
