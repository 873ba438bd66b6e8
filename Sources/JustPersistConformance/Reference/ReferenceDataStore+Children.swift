public import JustPersist

extension ReferenceDataStore {
    /// The parent of this store; `nil` if this store is not a child.
    public var parent: (any DataStore)? { parentStore }

    /// Makes a closed child of this store, which must be open.
    public func makeChild() throws -> any DataStore {
        var child: ReferenceDataStore?
        try gate.read("makeChild") {
            let made = ReferenceDataStore(childOf: self)
            children.withLock { children in
                children.removeAll { $0.store == nil }
                children.append(Child(store: made))
            }
            child = made
        }
        guard let child else { throw DataStoreError.notSetUp(in: "makeChild") }
        return child
    }

    /// Merges the committed changes of a child into this store, in one step.
    public func performMerge(
        _ child: any DataStore, policy: MergePolicy
    ) throws -> MergeReport {
        guard let child = child as? ReferenceDataStore, child.parentStore === self else {
            throw DataStoreError.incompatibleChildDataStore()
        }
        var report = MergeReport()
        try gate.write {
            try child.gate.read("merge") {
                report = try tree.withLock { tree throws(DataStoreError) in
                    let before = tree.state(of: number)
                    if before?.hasUnfinishedStep == true { throw .migrationRunning(in: "merge") }
                    let report = try tree.merge(child.number, policy: policy)
                    if let before, let after = tree.state(of: number) {
                        announce(from: before, to: after)
                    }
                    return report
                }
            }
        }
        return report
    }

    /// The children that still exist.
    var openedChildren: [ReferenceDataStore] {
        children.withLock { $0.compactMap(\.store) }
    }
}
