import JustPersist

/// The indexes that a type is declared with.
extension CatalogType {
    /// The components of an index over the named attributes.
    ///
    /// A name with dots is a path into dictionaries.
    func components(
        of names: [String]
    ) throws(DataStoreError) -> [CatalogIndex.Component] {
        guard 1...IndexKey.mostComponents ~= names.count else {
            throw DataStoreError(
                .limitExceeded, in: "declare",
                """
                An index of “\(key)” is over \(names.count) attributes; it needs at least one and takes at most \
                \(IndexKey.mostComponents).
                """, itemType: key)
        }
        var components: [CatalogIndex.Component] = []
        for name in names {
            let parts = DataStorePredicate.AttributePath(dotted: name).components
            guard let id = id(ofAttribute: parts[0]), !parts.contains("") else {
                throw .unknownAttribute(name, ofType: key, in: "declare")
            }
            components.append(
                CatalogIndex.Component(attribute: id, path: Array(parts.dropFirst())))
        }
        return components
    }

    /// Whether the type has exactly the indexes that a class declares, apart from those that were declared without a
    /// class.
    func hasIndexes(_ declared: [IndexSchema]) -> Bool {
        var found: Set<UInt16> = []
        for schema in declared {
            guard let components = try? components(of: schema.attributes),
                let index = indexes.first(where: {
                    $0.isOf(components, schema) && !$0.isByHand
                })
            else { return false }
            found.insert(index.number)
        }
        return indexes.allSatisfy { $0.isByHand || found.contains($0.number) }
    }

    /// Updates the indexes to a declaration, and returns whether anything changed.
    ///
    /// - Parameter isOfClass: Whether a class declares them. Then the indexes that it does not declare are dropped,
    ///   unless they were declared without a class.
    mutating func declare(
        _ declared: [IndexSchema], isOfClass: Bool
    ) throws(DataStoreError) -> Bool {
        var kept: Set<UInt16> = []
        var isChanged = false
        for schema in declared {
            let components = try components(of: schema.attributes)
            if let place = indexes.firstIndex(where: { $0.isOf(components, schema) }) {
                kept.insert(indexes[place].number)
                if isOfClass, indexes[place].isByHand {
                    indexes[place].isByHand = false
                    isChanged = true
                }
                continue
            }
            let index = CatalogIndex(
                number: try nextIndexNumber(), components: components, isUnique: schema.isUnique,
                ignoresCase: schema.ignoresCase, isByHand: !isOfClass)
            indexes.append(index)
            kept.insert(index.number)
            isChanged = true
        }
        if isOfClass {
            let count = indexes.count
            indexes.removeAll { !$0.isByHand && !kept.contains($0.number) }
            if indexes.count < count { isChanged = true }
        }
        return isChanged
    }

    /// Drops an index, and returns whether it existed.
    mutating func drop(_ index: IndexSchema) throws(DataStoreError) -> Bool {
        let components = try components(of: index.attributes)
        let count = indexes.count
        indexes.removeAll { $0.isOf(components, index) }
        return indexes.count < count
    }

    /// A number that no index of the type has.
    ///
    /// The number of a dropped index may be reused, because its entries were deleted with it.
    private func nextIndexNumber() throws(DataStoreError) -> UInt16 {
        let last = indexes.map(\.number).max() ?? 0
        if last < .max { return last + 1 }
        throw DataStoreError(
            .limitExceeded, in: "declare", "“\(key)” has no number left for a new index.",
            itemType: key)
    }

    /// Notes that all indexes over an attribute have to be rebuilt.
    mutating func rebuildIndexes(over attribute: UInt16) {
        rebuildIndexes { $0.isOver(attribute) }
    }

    /// Whether an index has texts with another folding than that of this process.
    var hasForeignFolding: Bool { indexes.contains { !$0.hasOwnFolding } }

    /// Notes that some indexes have to be rebuilt.
    mutating func rebuildIndexes(where isOld: (CatalogIndex) -> Bool) {
        for place in indexes.indices where isOld(indexes[place]) {
            // If no number is left, the entries stay as they are, and a verification reports them as wrong.
            guard let number = try? nextIndexNumber() else { return }
            indexes[place].rebuild(as: number)
        }
    }
}
