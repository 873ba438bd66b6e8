/// Relationships of item classes that are written by hand, and of items without a class.
extension DataStoreItem {
    /// The item of a to-one relationship; `nil` if there is none, or if it was deleted.
    public func related<Other: DataStoreItem>(
        _ name: String, as other: Other.Type = Other.self
    ) -> Other? {
        do throws(DataStoreError) {
            if let others = backing.prefetched?[name] {
                return others.first.flatMap { Other.cast($0) }
            }
            guard let reference = try backing.reference(in: name) else { return nil }
            var found: Other?
            try backing.withReader { (db) throws(DataStoreError) in
                let type =
                    other == DynamicItem.self
                    ? ItemType(dynamic: reference.itemTypeKey) : ItemType(other)
                found = try db.performFetchItem(type, id: reference.id).flatMap { Other.cast($0) }
            }
            return found
        } catch {
            backing.fail(error)
            return nil
        }
    }

    /// The id of the item of a to-one relationship, which costs no look-up; `nil` if there is none.
    ///
    /// It may be that of an item that was deleted under a rule of no action.
    public func relatedID(_ name: String) -> ItemID? {
        do throws(DataStoreError) {
            return try backing.reference(in: name)?.id
        } catch {
            backing.fail(error)
            return nil
        }
    }

    /// The items of a to-many relationship.
    public func related<Other: DataStoreItem>(
        toMany name: String, as other: Other.Type = Other.self
    ) -> ToMany<Other> {
        ToMany(of: self, name)
    }
}

extension MutableDataStoreItem {
    /// Sets the item of a to-one relationship, or none, and keeps the other side in step.
    ///
    /// An item that is in no store is inserted.
    public func setRelated(_ name: String, to other: (any DataStoreItem)?) {
        do throws(DataStoreError) {
            try setRelatedItem(name, to: other)
        } catch {
            backing.fail(error)
        }
    }

    /// Sets the item of a to-one relationship by its id, or none, and keeps the other side in step.
    ///
    /// The id of an item that does not exist is kept, and reads nil until there is such an item.
    public func setRelatedID(
        _ name: String, to id: ItemID?, of type: any DataStoreItem.Type
    ) {
        let value = id.map {
            DataStoreValue.reference(.init(itemTypeKey: type.itemTypeKey, id: $0))
        }
        do throws(DataStoreError) {
            if try setRelated(name, toValue: value ?? .null) { return }
            try backing.setValue(value ?? .null, forAttribute: name)
        } catch {
            backing.fail(error)
        }
    }

    /// Sets a to-one relationship to the item of a reference, or to nil, and keeps the other side in step.
    ///
    /// A reference to an item that is not there yet, as an import has them, is kept as it is. Returns false, and changes
    /// nothing, if the value is no reference or the attribute is no relationship.
    func setRelated(_ name: String, toValue value: DataStoreValue) throws(DataStoreError) -> Bool {
        switch value {
        case .reference: break
        case .null:
            guard case .reference = try? backing.value(forAttribute: name) else { return false }
        default: return false
        }
        if backing.storeBacking is DictionaryBacking { return false }
        var isSet = false
        do throws(DataStoreError) {
            try relate(name, to: value, &isSet)
        } catch {
            // A store without relationships keeps references as values; other refusals come from the attribute itself.
            if ![.unsupported, .itemNotMutable].contains(error.code) { throw error }
        }
        return isSet
    }

    private func relate(
        _ name: String, to value: DataStoreValue, _ isSet: inout Bool
    ) throws(DataStoreError) {
        try backing.withWriter { (db) throws(DataStoreError) in
            guard try db.hasRelationships,
                let relation = try db.relations(of: self).first(where: { $0.schema.name == name }),
                !relation.schema.isToMany
            else { return }
            if case .reference(let reference) = value {
                try db.setRelated(relation, of: self, toReference: reference)
            } else {
                try db.setRelated(relation, of: self, to: nil)
            }
            isSet = true
        }
    }

    /// Sets the item of a to-one relationship, or none, as ``setRelated(_:to:)`` does, and throws the error.
    public func setRelatedItem(
        _ name: String, to other: (any DataStoreItem)?
    ) throws(DataStoreError) {
        try backing.withWriter { (db) throws(DataStoreError) in
            try db.setRelated(try db.relation(name, of: self), of: self, to: other)
        }
    }
}
