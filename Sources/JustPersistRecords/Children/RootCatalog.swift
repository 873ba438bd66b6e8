import JustPersist

/// The catalog of the root store.
///
/// Only the root store adds types, attributes and indexes, because their numbers are part of keys, and two children
/// must not use one number for different types, attributes or indexes.
struct RootCatalog: Sendable {
    /// Runs a block of the root store that declares something, and returns the store's catalog afterwards.
    let change:
        @Sendable (_ body: (WriteBlock) throws(DataStoreError) -> Void) throws(DataStoreError) ->
            Catalog
}

/// Declarations in a child store.
extension WriteBlock {
    /// Declares a type in the root store, in a commit of its own, and adopts the resulting type.
    func declare(
        _ schema: ItemSchema, isOfClass: Bool, at root: RootCatalog
    ) throws(DataStoreError) {
        // The root store is not asked: its values may differ from those that this block sees.
        let isSettled = try isOfClass ? settleValues(of: schema) : false
        // Usually the root store knows all declarations.
        var trial = known.catalog
        let isKnown = try !trial.declare(
            schema, isOfClass: isOfClass, limits: context.limits,
            holdsItems: holdsItems, holdsValues: holdsValues
        ).isChanged
        if isKnown, !isSettled { return }
        let catalog: Catalog
        do throws(DataStoreError) {
            catalog = try root.change { (block) throws(DataStoreError) in
                try block.declare(schema, isOfClass: isOfClass, for: self)
            }
        } catch {
            // The root store need not settle its values for this block.
            let mayWait: [DataStoreError.Code] = [
                .nestedWrite, .busy, .readOnly, .conflict, .storageFull,
            ]
            if isKnown, mayWait.contains(error.code) { return }
            throw error
        }
        let type = ItemType(schema)
        let before = known.catalog.candidates(for: type)
        guard let declared = catalog.candidates(for: type).first else { return }
        for other in before where other.number != declared.number {
            try adopt(other.number, of: catalog)
        }
        try adopt(declared.number, of: catalog)
        if let declared = known.catalog[declared.number] {
            for other in before { bind(usedTypes(other), to: declared) }
        }
    }

    /// Adds types to the root store for the references in a value whose types have no number.
    func addTypes(
        referredToBy value: DataStoreValue, at root: RootCatalog
    ) throws(DataStoreError) {
        var trial = known.catalog
        let unknown = try trial.addTypes(referredToBy: value)
        if unknown.isEmpty { return }
        let keys = unknown.compactMap { trial[$0]?.key }
        let catalog = try root.change { (block) throws(DataStoreError) in
            try block.addTypes(referredToBy: value)
        }
        for key in keys {
            if let number = catalog.names.number(of: key) { try adopt(number, of: catalog) }
        }
    }

    /// Drops an index of a type in the root store; returns whether it existed.
    func dropIndex(
        _ index: IndexSchema, of type: ItemType, at root: RootCatalog
    ) throws(DataStoreError) -> Bool {
        var isDropped = false
        let catalog = try root.change { (block) throws(DataStoreError) in
            isDropped = try block.dropIndex(index, of: type)
        }
        for type in catalog.candidates(for: type) { try adopt(type.number, of: catalog) }
        return isDropped
    }

    /// Adopts a type of the root store.
    ///
    /// The root may have committed since the snapshot of this block: an index that is not in the snapshot has no
    /// entries there, even if the root has completed it.
    private func adopt(_ number: UInt32, of catalog: Catalog) throws(DataStoreError) {
        guard var type = catalog[number] else { return }
        // The root may have dropped attributes since.
        defer { for used in usedTypes(type) { used.noteUndeclared() } }
        guard let before = known.catalog[number], before.isDeclared, type.isDeclared else {
            known.catalog.put(type)
            return didChange(number)
        }
        type.takeTags(of: before)
        let (kept, new) = type.setIndexes(knownBy: before)
        known.catalog.put(type)
        didChange(number)
        if new.isEmpty { return }
        var old = type
        old.indexes = kept
        try followIndexes(of: type, before: old)
    }
}

extension CatalogType {
    /// Gives the attributes the tags that they have in an earlier state of the type, whose values the block sees.
    fileprivate mutating func takeTags(of earlier: CatalogType) {
        for (id, attribute) in earlier.attributes.enumerated() where id < attributes.count {
            changeTags(ofAttribute: UInt16(id)) { $0.takeTags(of: attribute) }
        }
    }

    /// Gives each index the state that it has in an earlier state of the type.
    ///
    /// An index that is missing there begins without entries. An index whose number is used differently there is left
    /// out.
    fileprivate mutating func setIndexes(
        knownBy before: CatalogType
    ) -> (kept: [CatalogIndex], new: [CatalogIndex]) {
        var kept: [CatalogIndex] = []
        var new: [CatalogIndex] = []
        for var index in indexes {
            guard let known = before.indexes.first(where: { $0.number == index.number }) else {
                index.state = .building(after: nil)
                new.append(index)
                continue
            }
            guard known.components == index.components, known.isUnique == index.isUnique,
                known.ignoresCase == index.ignoresCase
            else { continue }
            index.state = known.state
            kept.append(index)
        }
        indexes = kept + new
        return (kept, new)
    }
}
