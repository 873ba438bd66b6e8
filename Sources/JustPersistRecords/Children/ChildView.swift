import JustPersist

/// A child's changes as keys and values over one committed state of its parent.
struct ChildView: Sendable {
    /// The differences from the parent: records, index entries, item counts, the catalog, and the header.
    private(set) var keys: OrderedKeyMap<[UInt8]?>
    /// The number of the state that the child sees.
    ///
    /// No other view of the child has this number.
    private(set) var number: UInt64
    /// The number of the changes (``ChildChanges/number``) in the view.
    private(set) var changes: UInt64
    /// The parent's state.
    let parentCommit: UInt64
    let parentSnapshot: UInt64?
    /// The version of the view's catalog.
    private(set) var catalogVersion: UInt64

    /// The numbers of views and the versions of their catalogs, which are unique.
    ///
    /// A block that adds to a view continues with the view's numbers. A rebuilt view starts with numbers that no
    /// earlier view has used. Its catalog keeps the version only if it is the parent's catalog, unchanged and without
    /// additions.
    struct Numbers: Sendable {
        private(set) var commit: UInt64 = 0
        /// The version of the catalog if the child adds nothing to the parent's.
        private(set) var plainCatalog: UInt64 = 0
        /// The version of the catalog if the child adds to the parent's.
        private(set) var ownCatalog: UInt64 = 0
        private var parentCatalog: UInt64?
        private static let step: UInt64 = 1 << 24

        /// The numbers of a new view over a state of the parent whose catalog has that version.
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

        /// Notes the numbers used by a commit.
        mutating func note(_ header: StoreHeader, over view: ChildView) {
            commit = max(commit, header.commit)
            if header.catalogVersion == view.catalogVersion { return }
            ownCatalog = max(ownCatalog, header.catalogVersion)
            // The next plain catalog must not have that version again.
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

    /// The view after a block that has added to this one.
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
