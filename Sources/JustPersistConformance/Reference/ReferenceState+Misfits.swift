import JustPersist

/// Values that a class cannot read.
extension ReferenceState {
    /// Throws if the class with a schema cannot read a stored value, and otherwise forgets the kinds that no value has any
    /// more.
    mutating func settleValues(of schema: ItemSchema) throws(DataStoreError) {
        guard let type = try type(of: ItemType(schema)) else { return }
        var mismatches: [AttributeMismatch] = []
        var settled = type
        for (declared, stored) in zip(schema.attributes, try storedNames(schema)) {
            guard let stored, let known = type.attribute(stored), !declared.kinds.isEmpty else {
                continue
            }
            let (all, some) = Self.convertible(to: declared.kinds)
            let foreign = known.kinds.subtracting(declared.kinds).subtracting(all)
            if foreign.isEmpty { continue }
            var mismatch = AttributeMismatch(declared.name, declared: declared.kinds)
            (mismatch.storedName, mismatch.storedType) = (stored, type.key)
            mismatch.takenNames = type.schema.allNames.union(schema.allNames)
            var found: Set<DataStoreValue.Kind> = []
            for row in rows where row.key.itemType == type.key {
                let value = row[stored]
                guard foreign.contains(value.kind) else { continue }
                found.insert(value.kind)
                mismatch.note(value)
            }
            settled.forget(foreign.subtracting(found).subtracting(some), ofAttribute: stored)
            if !mismatch.items.isEmpty { mismatches.append(mismatch) }
        }
        let claimed = try storedNames(schema)
        for name in schema.relationshipsToMany where type.has(name) && !claimed.contains(name) {
            var mismatch = AttributeMismatch(toMany: name)
            mismatch.storedType = type.key
            mismatch.takenNames = type.schema.allNames.union(schema.allNames)
            for row in rows where row.key.itemType == type.key { mismatch.note(row[name]) }
            if !mismatch.items.isEmpty { mismatches.append(mismatch) }
        }
        if !mismatches.isEmpty {
            throw .schemaMismatch(mismatches, ofType: schema.itemTypeKey, in: "declare")
        }
        if settled.attributes != type.attributes { put(settled) }
    }

    /// The kinds of which all values convert exactly to one of these kinds, and those of which some do.
    private static func convertible(
        to kinds: Set<DataStoreValue.Kind>
    ) -> (all: Set<DataStoreValue.Kind>, some: Set<DataStoreValue.Kind>) {
        var (all, some): (Set<DataStoreValue.Kind>, Set<DataStoreValue.Kind>) = ([.null], [])
        if kinds.contains(.int) {
            all.insert(.bool)
            some.insert(.double)
        }
        if kinds.contains(.double) { some.insert(.int) }
        if kinds.contains(.decimal) { all.insert(.int) }
        return (all, some.subtracting(all))
    }
}
