/// Default implementations for stores that do not support child stores.
extension DataStore {
    /// `nil`: the store is not a child.
    public var parent: (any DataStore)? { nil }

    /// Refuses, with ``DataStoreError/Code/unsupported``.
    public func makeChild() throws -> any DataStore {
        throw DataStoreError.childStoresUnsupported(in: "makeChild")
    }

    /// Refuses, with ``DataStoreError/Code/unsupported``.
    public func performMerge(
        _ child: any DataStore, policy: MergePolicy
    ) throws -> MergeReport {
        throw DataStoreError.childStoresUnsupported(in: "merge")
    }
}

extension DataStore {
    /// Merges a child after checking that it is a child of this store.
    func checkedMerge(_ child: any DataStore, policy: MergePolicy) throws -> MergeReport {
        if capabilities.childStores == .none {
            throw DataStoreError.childStoresUnsupported(in: "merge")
        }
        guard child.parent === self else { throw DataStoreError.incompatibleChildDataStore() }
        return try performMerge(child, policy: policy)
    }
}
