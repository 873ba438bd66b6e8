import JustPersist

/// Changes of the catalog.
extension WriteBlock {
    /// Adds the declarations of the type's class to the catalog if they are missing.
    @inline(__always)
    func complete(_ type: BlockType) throws(DataStoreError) {
        if !type.isComplete { try declare(type) }
    }

    func declare(_ type: BlockType) throws(DataStoreError) {
        try type.checkWriting()
        if let schema = type.itemType.schema { try declare(schema, isOfClass: true) }
        let stored = known.catalog.candidates(for: type.itemType).first
        type.bind(to: stored, stored.map { table(of: $0) })
        note(type)
        type.noteDeclared()
    }

    /// Updates the catalog to a schema.
    ///
    /// - Parameters:
    ///   - isOfClass: Whether the schema is that of an item class: then indexes that it no longer declares are dropped,
    ///     and stored values that the class cannot read are refused.
    ///   - child: The block of a child store that declares the schema, whose items count too. Then values are not refused:
    ///     they may differ from those that the child sees.
    func declare(
        _ schema: ItemSchema, isOfClass: Bool = false, for child: WriteBlock? = nil
    ) throws(DataStoreError) {
        // The catalog has the kinds of the values that are written, and the search for items and values reads records.
        try flush()
        if let root = context.root { return try declare(schema, isOfClass: isOfClass, at: root) }
        if isOfClass {
            do throws(DataStoreError) {
                try settleValues(of: schema)
            } catch {
                if child == nil || error.code != .schemaMismatch { throw error }
            }
        }
        let candidates = known.catalog.candidates(for: ItemType(schema))
        let (type, others, isChanged) = try known.catalog.declare(
            schema, isOfClass: isOfClass, limits: context.limits,
            holdsItems: { (type) throws(DataStoreError) in
                if try holdsItems(type) { return true }
                return try child?.holdsItems(type) ?? false
            },
            holdsValues: { (type, attribute) throws(DataStoreError) in
                if try holdsValues(type, attribute) { return true }
                return try child?.holdsValues(type, attribute) ?? false
            })
        if !isChanged { return }
        for attribute in type.attributes {
            if let value = attribute.defaultValue { try addTypes(referredToBy: value) }
        }
        for other in others {
            changedTypes.insert(other.number)
            bind(usedTypes(other), to: type)
        }
        didChange(type.number)
        try followIndexes(of: type, before: candidates.first { $0.number == type.number })
    }

    /// Adds another store's type under its number.
    ///
    /// The type has no items here.
    func adopt(_ type: CatalogType) {
        known.catalog.put(type)
        didChange(type.number)
    }

    /// Adds types for the references in a value whose types have no number.
    @inline(__always)
    func addTypes(referredToBy value: DataStoreValue) throws(DataStoreError) {
        switch value {
        case .reference, .array, .dictionary:
            if let root = context.root { return try addTypes(referredToBy: value, at: root) }
            let added = try known.catalog.addTypes(referredToBy: value)
            for number in added {
                changedTypes.insert(number)
            }
        default: break
        }
    }

    /// Notes a change of a catalog entry, and updates this block's types.
    func didChange(_ number: UInt32) {
        changedTypes.insert(number)
        refusal = nil
        knownLinks?.declarationsChanged()
        relatedAttributes = nil
        forgetRelations()
        guard let type = known.catalog[number] else { return }
        bind(usedTypes(type), to: type)
        bindTable(of: type)
    }

    func bind(_ used: [BlockType], to type: CatalogType) {
        for used in used {
            used.bind(to: type, table(of: type))
            note(used)
        }
    }

    /// Whether the block has changed the catalog.
    var hasChangedTypes: Bool { !changedTypes.isEmpty }

    /// Whether the block has changed types that have an incomplete index.
    var hasUnfinishedIndexes: Bool {
        context.keepsIndexes && context.root == nil && !changedTypes.isEmpty
            && known.catalog.unfinishedIndex(except: context.failedBuilds) != nil
    }
}
