import JustPersist

/// Completes a store of salvaged entries: its header, the missing parts of its catalog, and the item counts.
struct SalvagedStore {
    private let engine: any KeyValueEngine
    private let entries: SalvagedEntries
    private let meter: MaintenanceMeter
    private var catalog = Catalog()
    private var report = SalvageReport()

    /// The contents of a type's records.
    private struct Census {
        var count = 0
        /// The tags of the values of each attribute, a bit for each.
        var tags: [TagSet] = []
    }

    /// Completes the store in `engine`, and reports what was salvaged.
    static func finish(
        _ engine: any KeyValueEngine, _ entries: SalvagedEntries, _ meter: MaintenanceMeter
    ) throws -> SalvageReport {
        try entries.flush()
        var store = SalvagedStore(engine, entries, meter)
        return try store.finish()
    }

    private init(
        _ engine: any KeyValueEngine, _ entries: SalvagedEntries, _ meter: MaintenanceMeter
    ) {
        self.engine = engine
        self.entries = entries
        self.meter = meter
    }

    private mutating func finish() throws -> SalvageReport {
        report.damages = entries.allDamages
        report.mayLackChanges = entries.mayLackChanges
        let header = try readHeader()
        var counts: [UInt32: Int] = [:]
        let numbers = try numbers()
        for number in numbers {
            let census = try self.census(of: number)
            // A type that a later release does not allow this one to read stays unchanged.
            if catalog[number]?.unknown.forbidsReading != true { try complete(number, census) }
            try note(number, census)
            counts[number] = census.count
        }
        let strays = entries.lostIDs.filter { !numbers.contains($0.key) }.values
        if !strays.isEmpty {
            note(
                "\(strays.reduce(0) { $0 + $1.count }) damaged records are of unknown types."
            )
        }
        let types = BlockCatalog(catalog)
        try engine.write { writer in
            for type in catalog.types {
                try writer.put(
                    type.encoded(types),
                    forKey: KeySpace.key(KeySpace.catalogTag, type: type.number))
                try Counter.write(counts[type.number] ?? 0, type: type.number, to: writer)
            }
            try writer.put(header.encoded(), forKey: KeySpace.header)
        }
        try forget()
        return report
    }

    /// The numbers of all types found, in ascending order.
    private func numbers() throws -> [UInt32] {
        var numbers = Set(entries.typeKeys.keys)
        try engine.read { reader in
            for tag in [KeySpace.catalogTag, KeySpace.counterTag, KeySpace.recordTag] {
                numbers.formUnion(try reader.typeNumbers(tag))
            }
        }
        return numbers.sorted()
    }

    /// The header of the new store; sets ``catalog`` to the readable part of the old one.
    private mutating func readHeader() throws -> StoreHeader {
        var header: StoreHeader?
        var isEmpty = true
        var read = Catalog()
        try engine.read { reader in
            _ = try reader.withValue(forKey: KeySpace.header) { (value) throws(DataStoreError) in
                header = try StoreHeader(decoding: value)
            }
            try reader.scanKeys(.all, reversed: false) { (_) throws(DataStoreError) in
                isEmpty = false
                return .stop
            }
            read = try Catalog(reading: reader, version: 1)
        }
        guard !isEmpty else {
            throw DataStoreError(
                .corrupted, in: "salvage",
                """
                Nothing of the store can be read: no entry has the checksum that belongs to it. Restore the store from a \
                backup; nothing was written.
                """)
        }
        catalog = read
        if header == nil {
            note("The store's header is damaged. The new store has a new header.")
        }
        var new = header?.renewed() ?? StoreHeader(id: ItemID())
        if header == nil { new.hasUnfinishedStep = try savesUnfinishedStep() }
        if header?.isLoading == true {
            note("The store holds a part of a migration that has not ended, so items are missing.")
            report.mayLackChanges = true
        }
        if new.hasUnfinishedStep {
            note(
                """
                A step of a schema plan has changed a part of the store and is not complete. Open the new store with the \
                plan that has the step.
                """)
        }
        new.catalogVersion = 1
        new.commit = 1
        return new
    }

    /// Whether an item of the store says that a step of a schema plan is not complete.
    private func savesUnfinishedStep() throws -> Bool {
        guard let type = catalog.type(AppliedSchemaStep.itemTypeKey),
            let id = type.currentID(ofAttribute: "isUnfinished")
        else { return false }
        var isUnfinished = false
        try engine.read { reader in
            try reader.scan(RecordKey.range(type: type.number), reversed: false) {
                (_, record) throws(DataStoreError) in
                let field = RecordFormat.Table(record)?.field(id, in: record)
                isUnfinished = field?.tag == ValueTag.yes
                return isUnfinished ? .stop : .next
            }
        }
        return isUnfinished
    }

    private mutating func note(_ damage: String, itemType: String? = nil) {
        report.damages.append(
            DataStoreError(.corrupted, in: "salvage", damage, itemType: itemType))
    }

    /// Counts the records of a type, and collects the kinds of their values.
    private func census(of number: UInt32) throws -> Census {
        var census = Census()
        try meter.begin(.items, itemType: catalog[number]?.key)
        try engine.read { reader in
            try reader.scan(RecordKey.range(type: number), reversed: false) {
                (_, record) throws(DataStoreError) in
                census.count += 1
                Self.add(record, to: &census)
                return meter.note(items: 1, bytes: record.count) ? .next : .stop
            }
        }
        try meter.check()
        return census
    }

    @inline(never)
    private static func add(_ record: Span<UInt8>, to census: inout Census) {
        guard let table = RecordFormat.Table(record) else { return }
        for index in 0..<table.count {
            let field = table.entry(at: index, in: record)
            // No attribute can have this id; the final check reports the record as damaged.
            if field.attribute == .max { continue }
            let missing = Int(field.attribute) + 1 - census.tags.count
            if missing > 0 { census.tags += [TagSet](repeating: TagSet(), count: missing) }
            if field.tag != ValueTag.null, field.tag != ValueTag.lastPossible {
                census.tags[Int(field.attribute)].insert(field.tag)
            }
        }
    }

    /// Ensures that the catalog has a type, and all attributes with values, under generated names if necessary.
    private mutating func complete(_ number: UInt32, _ census: Census) throws {
        if let known = catalog[number]?.key {
            var isOld = false
            try engine.read { reader in
                isOld = try entries.isDoubtful(
                    KeySpace.key(KeySpace.catalogTag, type: number), in: reader)
            }
            if isOld {
                report.isCatalogComplete = false
                note(
                    """
                    The catalog entry of “\(known)” may be an older one: later declarations, such as indexes and new \
                    names, may be missing.
                    """, itemType: known)
            }
        }
        var type = catalog[number] ?? nameless(number, isUsed: census.count > 0)
        let known = type.attributes.count
        for id in known..<max(known, census.tags.count) {
            var name = "attribute\(id)"
            while type.id(ofAttribute: name) != nil { name += "'" }
            type.append(CatalogAttribute(AttributeSchema(name)))
        }
        if type.attributes.count > known, catalog[number] != nil {
            report.isCatalogComplete = false
            note(
                """
                Attributes that were added to “\(type.key)” after the catalog entry that could be read \
                have the names “attribute\(known)” to “attribute\(type.attributes.count - 1)”.
                """, itemType: type.key)
        }
        for (id, tags) in census.tags.enumerated() {
            type.changeTags(ofAttribute: UInt16(id)) { $0.note(tags) }
        }
        for place in type.indexes.indices {
            type.indexes[place].state = .building(after: nil)
        }
        catalog.put(type)
    }

    /// A replacement for a type whose catalog entry is lost.
    private mutating func nameless(_ number: UInt32, isUsed: Bool) -> CatalogType {
        let known = entries.typeKeys[number]
        var key = "Recovered " + (known ?? "type \(number)")
        while catalog.entry(key) != nil { key += "'" }
        var type = CatalogType(number: number, key: key)
        type.isDeclared = isUsed
        report.isCatalogComplete = false
        note(
            """
            The catalog entry of \(known.map { "“\($0)”" } ?? "type \(number)") is lost, and with it the names of the \
            type and its attributes, its defaults and its indexes. \
            \(isUsed ? "Its items are saved under the type “\(key)”, their attributes as “attribute0” and so on." : "No item of it was found.")
            """, itemType: key)
        return type
    }

    /// Adds a type to the report.
    private mutating func note(_ number: UInt32, _ census: Census) throws {
        guard let type = catalog[number], type.isDeclared else { return }
        var line = SalvageReport.SalvagedType(itemType: type.key)
        line.saved = census.count
        try engine.read { reader in
            line.lost = try entries.count(ofType: number, in: reader).map {
                max(0, $0 - census.count)
            }
            var key = RecordKey(type: number)
            for id in (entries.lostIDs[number] ?? []).sorted() {
                key.set(id)
                let isSaved = try reader.withValue(forKey: key.bytes) {
                    (_) throws(DataStoreError) in
                }
                if !isSaved { line.lostIDs.append(id) }
            }
            let marks = KeyRange(
                prefix: [SalvagedEntries.markTag]
                    + KeySpace.key(KeySpace.recordTag, type: number))
            try reader.scan(marks, reversed: false) { (mark, value) throws(DataStoreError) in
                guard SalvagedEntries.Mark(value).trust.mayBeOld else { return .next }
                let isSaved = try reader.withValue(forKey: mark.copied(1..<mark.count)) {
                    (_) throws(DataStoreError) in
                }
                guard isSaved else { return .next }
                line.uncertain += 1
                if line.uncertainIDs.count < SalvageReport.mostIDs,
                    let (_, id) = RecordKey.parts(of: mark.copied(1..<mark.count).span)
                {
                    line.uncertainIDs.append(id)
                }
                return .next
            }
        }
        if let lost = line.lost { line.lost = max(lost, line.lostIDs.count) }
        report.types.append(line)
    }

    /// Removes the stored trust in the entries.
    private func forget() throws {
        let marks = KeyRange(prefix: [SalvagedEntries.markTag])
        while true {
            var keys: [[UInt8]] = []
            try engine.read { reader in
                try reader.scanKeys(marks, reversed: false) { (key) throws(DataStoreError) in
                    keys.append(key.copied())
                    return keys.count < 10_000 ? .next : .stop
                }
            }
            if keys.isEmpty { return }
            try engine.write { writer in
                for key in keys { _ = try writer.delete(key) }
            }
        }
    }
}
