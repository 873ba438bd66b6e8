import JustPersist

/// An attribute by which the items of a type are entries of another type's relationship: see ``RelationshipEntry``.
struct RelatedAttribute {
    let attribute: UInt16
    let position: UInt16?
    let owner: CatalogType
    /// ``attribute`` and ``position``.
    let watched: AttributeSet
    /// The bit of the relationship in the changes of its owner.
    let bit: UInt64

    /// An entry: the item with the relationship, and the place in its order, as it is stored.
    struct Entry: Equatable {
        var owner: ItemID?
        var place: UInt64?
    }

    func entry(in record: Span<UInt8>) -> Entry {
        Entry(owner: owner(in: record), place: place(in: record))
    }

    func owner(in record: Span<UInt8>) -> ItemID? {
        RecordFormat.field(attribute, in: record)?.reference(in: record)?.id
    }

    private func place(in record: Span<UInt8>) -> UInt64? {
        guard let position, let field = RecordFormat.field(position, in: record),
            field.range.count == 8
        else { return nil }
        return record.word64(at: field.start)
    }
}

/// Changes of relationships to many, which are changes of the item that has them.
extension WriteBlock {
    private typealias Entry = RelatedAttribute.Entry

    /// Notes the items whose relationships change with a record.
    ///
    /// - Parameters:
    ///   - record: The new record; `nil` if it is removed.
    ///   - changes: The attributes in which the records may differ; `nil` if there is no stored record.
    func noteRelated(
        _ record: Span<UInt8>?, _ id: ItemID, changes: AttributeSet?, in table: RecordTable
    ) throws(DataStoreError) {
        var attributes = relatedAttributes(of: table)
        if let changes { attributes.removeAll { !changes.intersects($0.watched) } }
        if attributes.isEmpty { return }
        var old: [Entry] = []
        if changes != nil {
            _ = try table.withStoredBytes(id, in: writer) { (stored) throws(DataStoreError) in
                // The former owners of a damaged record are not known.
                guard table.isSound(stored, id) else {
                    for related in attributes { noteUnknown(related) }
                    return
                }
                old = attributes.map { $0.entry(in: stored) }
            }
        }
        for (place, related) in attributes.enumerated() {
            let before = place < old.count ? old[place] : Entry()
            var after = Entry()
            if let record { after = related.entry(in: record) }
            if before == after { continue }
            for owner in [before.owner, after.owner] {
                if let owner { note(related, of: owner) }
            }
        }
    }

    /// Notes the items whose relationships change when all records of a table are removed.
    func noteRelatedToAll(of table: RecordTable) throws(DataStoreError) {
        let attributes = relatedAttributes(of: table)
        if attributes.isEmpty { return }
        var pass = RecordPass()
        do throws(DataStoreError) {
            _ = try table.scan(&pass, in: writer) { (_, record) throws(DataStoreError) in
                for related in attributes {
                    if let owner = related.owner(in: record) { note(related, of: owner) }
                }
                return .next
            }
        } catch {
            guard error.code == .corrupted || error.code == .newerFormat else { throw error }
            for related in attributes { noteUnknown(related) }
        }
    }

    private func note(_ related: RelatedAttribute, of owner: ItemID) {
        table(of: related.owner).changes.noteRelated(owner, related.bit)
    }

    private func noteUnknown(_ related: RelatedAttribute) {
        table(of: related.owner).changes.noteUnknown()
    }

    private func relatedAttributes(of table: RecordTable) -> [RelatedAttribute] {
        if known.catalog.schemasWithRelationships.isEmpty { return [] }
        if let known = relatedAttributes { return known[table.number] ?? [] }
        var attributes: [UInt32: [RelatedAttribute]] = [:]
        for (key, entries) in RelationshipEntry.all(in: known.catalog.schemasWithRelationships) {
            guard let type = known.catalog.type(key) else { continue }
            attributes[type.number] = entries.compactMap { relatedAttribute($0, of: type) }
        }
        relatedAttributes = attributes
        return attributes[table.number] ?? []
    }

    /// An attribute as the store knows it; `nil` before the type of the links is declared.
    private func relatedAttribute(
        _ entry: RelationshipEntry, of type: CatalogType
    ) -> RelatedAttribute? {
        guard let owner = known.catalog.type(entry.owner),
            let attribute = type.id(ofAttribute: entry.attribute),
            let number = owner.relationships.first(where: { $0.name == entry.relationship })?.number
        else { return nil }
        let position = entry.position.flatMap { type.id(ofAttribute: $0) }
        var watched = AttributeSet()
        watched.insert(attribute)
        if let position { watched.insert(position) }
        return RelatedAttribute(
            attribute: attribute, position: position, owner: owner, watched: watched,
            bit: ChangedType.bit(ofRelationship: number))
    }
}
