import JustPersist

/// Values that a class cannot read, which are looked for before the class is declared.
///
/// The catalog has the kinds of the values that an attribute has had. Records are read only if one of these kinds
/// does not fit the class.
extension WriteBlock {
    /// The tags of an attribute's values that a class with a schema may be unable to read.
    struct Misfit {
        let type: UInt32
        let attribute: UInt16
        let tags: UInt16
        /// The declaration, and the values that it does not fit.
        var mismatch: AttributeMismatch
    }

    /// A class that was refused, until a record or the catalog changes.
    ///
    /// The records are not read again for each further use of the class.
    struct Refusal {
        let schema: ItemSchema
        let error: DataStoreError
    }

    /// Throws if the class cannot read a stored value, and otherwise removes the kinds that no value has any more from
    /// the catalog, and notes of which kinds all values convert exactly; returns whether the catalog had to change.
    @discardableResult
    func settleValues(of schema: ItemSchema) throws(DataStoreError) -> Bool {
        let settled = try misfits(schema)
        for misfit in settled {
            guard var type = known.catalog[misfit.type] else { continue }
            let some = ValueTag.convertible(to: misfit.mismatch.declared).some
            type.changeTags(ofAttribute: misfit.attribute) {
                $0.settle(misfit.tags, exact: misfit.tags & some)
            }
            known.catalog.put(type)
            didChange(type.number)
        }
        return !settled.isEmpty
    }

    /// The kinds that do not fit the class and that no written value of this block's state has.
    ///
    /// - Throws: `.schemaMismatch` if the class cannot read a value.
    func misfits(_ schema: ItemSchema) throws(DataStoreError) -> [Misfit] {
        var misfits: [Misfit] = []
        let candidates = known.catalog.candidates(for: ItemType(schema))
        for type in candidates where !type.unknown.forbidsReading {
            for (declared, places) in zip(schema.attributes, type.places(of: schema)) {
                for place in places {
                    let tags = type.attributes[Int(place)].misfits(declared)
                    if tags == 0 { continue }
                    var mismatch = AttributeMismatch(declared.name, declared: declared.kinds)
                    mismatch.storedName = type.attributes[Int(place)].name
                    mismatch.storedType = type.key
                    mismatch.takenNames = type.schema.allNames.union(schema.allNames)
                    misfits.append(
                        Misfit(
                            type: type.number, attribute: place, tags: tags, mismatch: mismatch))
                }
            }
        }
        for type in candidates where !type.unknown.forbidsReading {
            let claimed = Set(type.places(of: schema).joined())
            for name in schema.relationshipsToMany {
                guard let id = type.currentID(ofAttribute: name), !claimed.contains(id) else {
                    continue
                }
                var mismatch = AttributeMismatch(toMany: name)
                mismatch.storedType = type.key
                mismatch.takenNames = type.schema.allNames.union(schema.allNames)
                misfits.append(
                    Misfit(
                        type: type.number, attribute: id,
                        tags: type.attributes[Int(id)].tags.known, mismatch: mismatch))
            }
        }
        if misfits.isEmpty { return [] }
        if let refusal, refusal.schema === schema { throw refusal.error }
        for type in Set(misfits.map(\.type)) { try count(&misfits, of: type) }
        let mismatches = misfits.map(\.mismatch).filter { !$0.items.isEmpty }
        if mismatches.isEmpty { return misfits }
        let error = DataStoreError.schemaMismatch(
            mismatches, ofType: schema.itemTypeKey, in: "declare")
        refusal = Refusal(schema: schema, error: error)
        throw error
    }

    /// Counts the items of a type with values that do not fit.
    ///
    /// A damaged record is left out: reading it fails by itself.
    private func count(_ misfits: inout [Misfit], of type: UInt32) throws(DataStoreError) {
        let places = misfits.indices.filter { misfits[$0].type == type }
        try reader.scan(RecordKey.range(type: type), reversed: false) {
            (_, record) throws(DataStoreError) in
            try workSteps.count()
            guard let table = RecordFormat.Table(record) else { return .next }
            for place in places {
                guard let field = table.field(misfits[place].attribute, in: record),
                    field.tag <= ValueTag.dictionary,
                    misfits[place].tags & 1 << UInt16(field.tag) != 0,
                    let value = ValueDecoding.value(
                        tag: field.tag, in: record, field.range, known)
                else { continue }
                misfits[place].mismatch.note(value)
            }
            return .next
        }
    }
}
