/// The changes of a repair of relationships.
package struct MendedRelations {
    /// The numbers of links that were deleted, by the keys of their types.
    package fileprivate(set) var deletedLinks: [String: Int] = [:]
    /// The number of references that became nil.
    package fileprivate(set) var clearedReferences = 0
    /// The errors for limits of numbers that no longer hold.
    package private(set) var violations: [DataStoreError] = []
    /// The limits of numbers that the changes may have broken.
    fileprivate let limits = BlockLinks()
    /// Whether an item that has lost its partner may get it back.
    package var restoresPartners = true

    /// No changes.
    package init() {}

    /// Notes the limits of numbers that the changes have broken.
    package mutating func judgeLimits(_ db: borrowing DataStoreWriter) throws(DataStoreError) {
        let error = try limits.violation(
            db, "After the repair, numbers of related items are beyond their limits",
            skipsDamage: true)
        if let error { violations.append(error) }
    }
}

/// Repairs of relationships of which one side is missing, or does not agree with the other.
extension DataStoreReadWriteAccessor where Self: ~Copyable {
    /// Makes a reference of an item, or a link, agree with the items that it relates.
    ///
    /// - Throws: An error after part of the change, too: the block must be rolled back.
    package func mend(
        _ part: RelatingPart, of item: ItemReference, _ mended: inout MendedRelations
    ) throws(DataStoreError) {
        switch part {
        case .reference(let relation): try mend(relation, of: item, &mended)
        case .links(let ends): try mend(ends, item, &mended)
        }
    }

    private func mend(
        _ relation: Relation, of own: ItemReference, _ mended: inout MendedRelations
    ) throws(DataStoreError) {
        let name = relation.schema.name
        guard let item = try fetch(own), let other = try item.backing.reference(in: name)
        else { return }
        guard let target = try fetch(other) else {
            if !relation.mayDangle { try clear(relation, of: item, from: other, &mended) }
            return
        }
        if relation.isPair, let back = relation.reversed {
            let partner = try target.backing.reference(in: back.schema.name)
            if partner == own { return }
            let isTaken = try partner.map { (partner) throws(DataStoreError) in
                try fetch(partner)?.backing.reference(in: name) == other
            }
            if isTaken == true || !mended.restoresPartners {
                return try clear(relation, of: item, from: other, &mended)
            }
            try target.backing.setValue(.reference(own), forAttribute: back.schema.name)
            mended.limits.noteCount(back, of: other)
        }
        if let order = relation.reversed?.order {
            try addLink(order, from: other, to: own, at: nil)
        }
    }

    private func clear(
        _ relation: Relation, of item: any DataStoreItem, from other: ItemReference,
        _ mended: inout MendedRelations
    ) throws(DataStoreError) {
        let own = ItemReference(itemTypeKey: relation.owner, id: item.uniqueToken)
        try item.backing.setValue(.null, forAttribute: relation.schema.name)
        try removePlaces(relation, of: own, exceptFrom: nil)
        mended.clearedReferences += 1
        mended.limits.noteCount(relation, of: own)
    }

    private func mend(
        _ ends: LinkEnds, _ item: ItemReference, _ mended: inout MendedRelations
    ) throws(DataStoreError) {
        guard let link = try fetch(item) else { return }
        let found = (
            source: try link.backing.reference(in: LinkType.source),
            target: try link.backing.reference(in: LinkType.target)
        )
        guard let source = found.source, let target = found.target,
            try ends.mayLack(source: !mayExist(source), target: !mayExist(target))
        else { return try delete(link, ends, found.source, found.target, &mended) }
        let kept = try underItsID(link, item, ends.type, from: source, to: target)
        for isSource in [true, false] {
            guard let name = ends.type.names(isSource: isSource).position else { continue }
            if case .int = try kept.backing.value(forAttribute: name) { continue }
            try kept.backing.setValue(.null, forAttribute: name)
            let near = isSource ? source : target
            let place = try position(ends.type, isSource, of: near, at: nil)
            try kept.backing.setValue(.int(place), forAttribute: name)
        }
        if ends.isSymmetric, source != target {
            try addLink(ends.type, from: target, to: source, at: nil)
        }
        noteCounts(ends, source, target, mended)
    }

    /// The link between two items with the id that follows from them, in place of a link with another id.
    private func underItsID(
        _ link: any DataStoreItem, _ item: ItemReference, _ type: LinkType,
        from source: ItemReference, to target: ItemReference
    ) throws(DataStoreError) -> any DataStoreItem {
        let id = LinkType.id(from: source.id, to: target.id)
        if id == item.id { return link }
        var values: [(name: String, value: DataStoreValue)] = []
        for name in link.backing.attributeNames {
            values.append((name, try link.backing.value(forAttribute: name)))
        }
        var right = try fetch(ItemReference(itemTypeKey: item.itemTypeKey, id: id))
        let there = (
            source: try right?.backing.reference(in: LinkType.source),
            target: try right?.backing.reference(in: LinkType.target)
        )
        if right == nil { right = try performCreate(ItemType(dynamic: type.key), id: id) }
        guard let right else { return link }
        if there.source != source || there.target != target {
            for (name, value) in values { try right.backing.setValue(value, forAttribute: name) }
        }
        _ = try performDelete(link)
        // A link of two other items had the id.
        if let source = there.source, let target = there.target {
            try addLink(type, from: source, to: target, at: nil)
        }
        return right
    }

    private func delete(
        _ link: any DataStoreItem, _ ends: LinkEnds, _ source: ItemReference?,
        _ target: ItemReference?, _ mended: inout MendedRelations
    ) throws(DataStoreError) {
        if try performDelete(link) { mended.deletedLinks[ends.type.key, default: 0] += 1 }
        noteCounts(ends, source, target, mended)
    }

    private func noteCounts(
        _ ends: LinkEnds, _ source: ItemReference?, _ target: ItemReference?,
        _ mended: MendedRelations
    ) {
        for (relation, end) in [(ends.fromSource, source), (ends.fromTarget, target)] {
            if let relation, let end { mended.limits.noteCount(relation, of: end) }
        }
    }

    /// Whether an item exists, or may exist because it cannot be read.
    private func mayExist(_ item: ItemReference) throws(DataStoreError) -> Bool {
        do throws(DataStoreError) {
            return try exists(item)
        } catch {
            guard error.isOfOneItem else { throw error }
            return true
        }
    }
}

extension DataStoreError {
    /// Whether an item or its type is damaged, or belongs to a later release, and others can be used.
    package var isOfOneItem: Bool { code == .corrupted || code == .newerFormat }
}
