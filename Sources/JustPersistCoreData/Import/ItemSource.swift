import Foundation
import JustPersist

/// The rows of a store of Core Data as items.
final class ItemSource {
    /// One row.
    struct Row {
        let key: Int64
        let id: ItemID
        /// The values of all attributes and relationships to one, null where there is none.
        var values: [String: DataStoreValue] = [:]
    }

    let store: SourceStore
    let layout: Layout
    private(set) var findings = Findings()
    private let reader: AttributeReader
    private let failsWithoutFiles: Bool
    /// Whether what rows have is noted in the findings.
    private var isExamining = false
    private let kinds: [Int: Layout.ItemKind]
    private var ids: [String: ObjectIDs] = [:]
    /// The numbers of the entities of all rows, by table and key.
    private var entities: [String: [Int64: Int]] = [:]
    /// The keys of the other rows, by table and column, where both sides lead to one row.
    private var partners: [Place: [Int64: Int64]] = [:]
    private var pairs: [Layout.Pairs: PairsOfKeys] = [:]

    private struct PairsOfKeys {
        /// The keys of the others by those of the rows that have the relationship.
        var others: [Int64: [Int64]] = [:]
        /// The rows with an other that is no key.
        var withoutOther: [Int64] = []
        /// The others of a row that is no key.
        var withoutOwner: [Int64] = []
    }

    private typealias Property = Findings.Property

    private struct Place: Hashable {
        let table: String
        let column: String
    }

    /// The rows of a store.
    init(_ store: SourceStore, _ layout: Layout, failsWithoutFiles: Bool) {
        self.store = store
        self.layout = layout
        self.failsWithoutFiles = failsWithoutFiles
        reader = AttributeReader(of: store.copy.original)
        kinds = Dictionary(uniqueKeysWithValues: layout.kinds.map { ($0.number, $0) })
        for kind in layout.kinds {
            ids[kind.name] = ObjectIDs(store: store.uuid, entity: kind.name)
        }
    }

    /// Reads all rows once, and fills the findings.
    func examine(_ progress: (_ rows: Int) throws -> Void) throws {
        for table in Set(layout.kinds.map(\.table.name)) {
            var known: [Int64: Int] = [:]
            try store.file.forEach("SELECT Z_PK, Z_ENT FROM \(table.quotedName)") {
                (row) throws(DataStoreError) in
                guard let key = row[0].int, (0...ObjectIDs.greatestKey).contains(key) else {
                    throw store.damaged("the key of a row of \(table) is not from 0 to 2³²")
                }
                known[key] = row[1].int.map { Int(clamping: $0) } ?? 0
            }
            entities[table] = known
        }
        isExamining = true
        defer { isExamining = false }
        try match()
        for kind in layout.kinds {
            findings.rows[kind.name] = 0
            findings.unique[kind.name] = UniqueValues(kind.uniqueIndexes)
            for link in kind.links { findings.ends[Property(kind: kind.name, name: link.name)] = 0 }
        }
        for kind in layout.kinds {
            try forEach(kind) { (row) throws(DataStoreError) in
                findings.rows[kind.name, default: 0] += 1
                findings.noteUnique(row, of: kind.name)
            }
            try progress(findings.rows.values.reduce(0, +))
            for link in kind.links {
                guard case .pairs(let place) = link.place else { continue }
                let property = Property(kind: kind.name, name: link.name)
                // Noted once, though a relationship may have become several.
                let isFirst = kind.links.first { $0.place == link.place }?.name == link.name
                let keys = try keys(place)
                for (near, far) in keys.others.sorted(by: { $0.key < $1.key }) {
                    guard entity(near, in: kind.table.name) == kind.number else { continue }
                    for other in far where isFirst { noteEnd(other, of: link, property, near) }
                    let count = far.count { self.kind($0, of: link)?.name == link.target }
                    note(count, of: near, property, link)
                }
                for near in keys.withoutOther
                where isFirst && entity(near, in: kind.table.name) == kind.number {
                    findings.add(.noKey, property, near)
                }
            }
        }
        noteOwners()
        findings.concludeUnique()
    }

    /// Notes a key that leads to no row, or to one of another entity.
    private func noteEnd(
        _ other: Int64, of link: Layout.Link, _ property: Property, _ row: Int64
    ) {
        guard isExamining else { return }
        if let number = entity(other, of: link) {
            if !link.targets.contains(number) { findings.add(.otherEntity, property, row) }
        } else {
            findings.add(.missingRow, property, row)
        }
    }

    /// Notes the owners in pairs of relationships without an inverse, which no other side notes.
    private func noteOwners() {
        var seen: Set<Layout.Place> = []
        for kind in layout.kinds {
            for link in kind.links where link.inverse == nil && seen.insert(link.place).inserted {
                guard case .pairs(let place) = link.place, let keys = pairs[place] else { continue }
                let property = Property(kind: kind.name, name: link.name)
                for row in keys.withoutOwner { findings.add(.noKey, property, row) }
                for (near, far) in keys.others.sorted(by: { $0.key < $1.key }) {
                    let number = entity(near, in: kind.table.name)
                    if let number, link.owners.contains(number) { continue }
                    for row in far {
                        findings.add(number == nil ? .missingRow : .otherEntity, property, row)
                    }
                }
            }
        }
    }

    // MARK: Rows

    /// Calls `body` with each row of a type.
    func forEach(
        _ kind: Layout.ItemKind, _ body: (Row) throws(DataStoreError) -> Void
    ) throws(DataStoreError) {
        guard let ids = ids[kind.name] else { return }
        let toOne = Dictionary(
            grouping: kind.links.compactMap { link -> (String, Layout.Link)? in
                if case .column(let column) = link.place { (column, link) } else { nil }
            }, by: \.0
        ).mapValues { $0.map(\.1) }.sorted { $0.key < $1.key }
        let columns = kind.fields.flatMap(\.columns) + toOne.map(\.key)
        let list = (["Z_PK"] + columns).map(\.quotedName).joined(separator: ", ")
        try store.file.forEach(
            """
            SELECT \(list) FROM \(kind.table.name.quotedName) WHERE Z_ENT = \(kind.number) ORDER BY Z_PK
            """
        ) { (stored) throws(DataStoreError) in
            guard let key = stored[0].int, (0...ObjectIDs.greatestKey).contains(key) else { return }
            var row = Row(key: key, id: ids.id(key))
            var place = 1
            for field in kind.fields {
                let value = try value(of: field, stored, &place, kind, key)
                row.values[field.attribute.name] = value
                if isExamining, value.isNull, !field.attribute.isOptional {
                    findings.add(.null, Property(kind: kind.name, name: field.attribute.name), key)
                }
            }
            for (column, links) in toOne {
                for link in links { row.values[link.name] = .null }
                let value = stored[place]
                let other = self.other(value.int, of: key, links[0], column, kind)
                place += 1
                let property = Property(kind: kind.name, name: links[0].relationship.name)
                if isExamining, value != .null, value.int == nil {
                    findings.add(.noKey, property, key)
                }
                guard let other else { continue }
                guard let target = self.kind(other, of: links[0]),
                    let link = links.first(where: { $0.target == target.name }),
                    let targetIDs = self.ids[target.name]
                else {
                    noteEnd(other, of: links[0], property, key)
                    continue
                }
                row.values[link.name] = .reference(
                    ItemReference(itemTypeKey: target.name, id: targetIDs.id(other)))
                note(1, of: key, Property(kind: kind.name, name: link.name), link)
                if let inverse = target.links.first(where: {
                    $0.name == link.inverse && $0.target == kind.name
                }),
                    inverse.place == .inverse
                {
                    note(1, of: other, Property(kind: target.name, name: inverse.name), inverse)
                }
            }
            try body(row)
        }
    }

    /// The rows that have each of the values of unique indexes, of those over attributes of a type.
    func values(
        of kind: Layout.ItemKind, _ indexes: [IndexSchema]
    ) throws(DataStoreError) -> UniqueValues {
        let names = kind.indexable
        var values = UniqueValues(indexes.filter { names.isSuperset(of: $0.attributes) })
        if values.indexes.isEmpty { return values }
        try forEach(kind) { row in values.add(row.key) { row.values[$0] ?? .null } }
        return values
    }

    private func note(_ count: Int, of key: Int64, _ property: Property, _ link: Layout.Link) {
        guard isExamining else { return }
        findings.ends[property, default: 0] += count
        if link.minimum > 0 || link.maximum != nil {
            findings.counts[property, default: [:]][key, default: 0] += count
        }
    }

    private func value(
        of field: Layout.Field, _ row: SQLiteFile.Row, _ place: inout Int, _ kind: Layout.ItemKind,
        _ key: Int64
    ) throws(DataStoreError) -> DataStoreValue {
        if field.column == nil {
            var parts: [String: DataStoreValue] = [:]
            for part in field.parts {
                let value = try value(of: part, row, &place, kind, key)
                if !value.isNull { parts[part.attribute.name] = value }
            }
            return parts.isEmpty ? .null : .dictionary(parts)
        }
        var oddity: AttributeReader.Oddity?
        let value = reader.value(of: field.attribute, row[place], &oddity)
        place += 1
        if oddity == .missingFile, failsWithoutFiles {
            throw DataStoreError(
                .invalidInput, in: "import",
                """
                The file with “\(field.attribute.name)” of the object p\(key) of “\(kind.name)” is not in the directory \
                “.\(store.copy.original.deletingPathExtension().lastPathComponent)_SUPPORT”, or has more than \
                \(SQLiteFile.mostBytes >> 20) MiB. Copy that directory beside the store, \
                or import without such values (--missing-external skip).
                """, itemType: kind.name, attribute: field.attribute.name)
        }
        if let oddity, isExamining {
            let property = Property(kind: kind.name, name: field.attribute.name)
            findings.add(.odd(oddity), property, key)
        }
        return value
    }

    // MARK: Other rows

    /// The number of the entity of a row to which a link leads; `nil` if there is no such row.
    private func entity(_ key: Int64, of link: Layout.Link) -> Int? {
        tables[link.target].flatMap { entity(key, in: $0) }
    }

    private lazy var tables = Dictionary(
        uniqueKeysWithValues: layout.kinds.map { ($0.name, $0.table.name) })

    private func entity(_ key: Int64, in table: String) -> Int? { entities[table]?[key] }

    /// The type of the row to which a link of a relationship leads.
    private func kind(_ key: Int64, of link: Layout.Link) -> Layout.ItemKind? {
        entity(key, of: link).flatMap { kinds[$0] }
    }

    private func other(
        _ stored: Int64?, of key: Int64, _ link: Layout.Link, _ column: String,
        _ kind: Layout.ItemKind
    ) -> Int64? {
        if link.partnerColumn == nil { return stored }
        return partners[Place(table: kind.table.name, column: column)]?[key]
    }

    /// The references of a relationship that is kept as pairs of keys, by the keys of the rows that have it.
    func references(
        _ link: Layout.Link, of kind: Layout.ItemKind
    ) throws(DataStoreError) -> [Int64: [ItemReference]] {
        guard case .pairs(let place) = link.place, let ids = ids[link.target] else { return [:] }
        var references: [Int64: [ItemReference]] = [:]
        for (near, others) in try keys(place).others
        where entity(near, in: kind.table.name) == kind.number {
            references[near] = others.filter { self.kind($0, of: link)?.name == link.target }
                .map { ItemReference(itemTypeKey: link.target, id: ids.id($0)) }
        }
        return references
    }

    private func keys(_ place: Layout.Pairs) throws(DataStoreError) -> PairsOfKeys {
        if let known = pairs[place] { return known }
        var found = PairsOfKeys()
        let columns = [place.near, place.order, place.far].compactMap { $0?.quotedName }
            .joined(separator: ", ")
        try store.file.forEach(
            """
            SELECT DISTINCT \(place.near.quotedName), \(place.far.quotedName) FROM \(place.table.quotedName) ORDER BY \(columns)
            """
        ) { (row) throws(DataStoreError) in
            switch (row[0].int, row[1].int) {
            case (let near?, let far?): found.others[near, default: []].append(far)
            case (let near?, nil): found.withoutOther.append(near)
            // In a column of the others, null is no owner.
            case (nil, let far?): if row[0] != .null { found.withoutOwner.append(far) }
            case (nil, nil): break
            }
        }
        pairs[place] = found
        return found
    }

    // MARK: Pairs of rows

    /// Matches the rows of relationships that lead to one row on both sides.
    ///
    /// Each side has a column, and one of them may lack what the other has.
    private func match() throws(DataStoreError) {
        for kind in layout.kinds {
            for link in kind.links {
                guard case .column(let column) = link.place, let partnerColumn = link.partnerColumn,
                    let otherTable = tables[link.target]
                else { continue }
                let near = Place(table: kind.table.name, column: column)
                let far = Place(table: otherTable, column: partnerColumn)
                if partners[near] != nil { continue }
                let name = link.relationship.name
                try match(
                    Side(place: near, entities: link.owners, .init(kind: kind.name, name: name)),
                    Side(
                        place: far, entities: link.targets,
                        .init(kind: link.target, name: link.relationship.inverse ?? name)))
            }
        }
    }

    /// One side of a relationship.
    private struct Side {
        let place: Place
        /// The numbers of the entities that have it.
        let entities: Set<Int>
        let property: Property

        init(place: Place, entities: Set<Int>, _ property: Property) {
            (self.place, self.entities, self.property) = (place, entities, property)
        }
    }

    /// The property of a row, whose entity may be any of those that have the side.
    private func property(_ side: Side, _ row: Int64) -> Property {
        let kind = entity(row, in: side.place.table).flatMap { kinds[$0]?.name }
        return Property(kind: kind ?? side.property.kind, name: side.property.name)
    }

    /// The keys in the column of a side that lead to rows of the other.
    private func keys(_ side: Side, to other: Side) throws(DataStoreError) -> [Int64: Int64] {
        var found: [Int64: Int64] = [:]
        for (row, key) in try column(side.place).sorted(by: { $0.key < $1.key }) {
            guard let own = entity(row, in: side.place.table), side.entities.contains(own) else {
                continue
            }
            if let number = entity(key, in: other.place.table) {
                if other.entities.contains(number) {
                    found[row] = key
                } else {
                    findings.add(.otherEntity, property(side, row), row)
                }
            } else {
                findings.add(.missingRow, property(side, row), row)
            }
        }
        return found
    }

    private func match(_ near: Side, _ far: Side) throws(DataStoreError) {
        let isReflexive = near.place == far.place
        let forth = try keys(near, to: far)
        let back = isReflexive ? forth : try keys(far, to: near)
        var (nearKeys, farKeys): ([Int64: Int64], [Int64: Int64]) = ([:], [:])
        /// Relates two rows, unless one of them has another partner.
        func relate(_ one: Int64, _ other: Int64) -> Bool {
            if nearKeys[one] == other { return true }
            let isFree =
                isReflexive
                ? nearKeys[one] == nil && nearKeys[other] == nil
                : nearKeys[one] == nil && farKeys[other] == nil
            guard isFree else { return false }
            nearKeys[one] = other
            if isReflexive { nearKeys[other] = one } else { farKeys[other] = one }
            return true
        }
        var oneSided: [(Int64, Int64)] = []
        for (one, other) in forth.sorted(by: { $0.key < $1.key }) {
            if back[other] == one {
                _ = relate(one, other)
            } else {
                oneSided.append((one, other))
            }
        }
        for (other, one) in back.sorted(by: { $0.key < $1.key })
        where !isReflexive && forth[one] != other {
            oneSided.append((one, other))
        }
        for (one, other) in oneSided {
            let matter = relate(one, other) ? Findings.Matter.oneSided : .contradicting
            findings.add(matter, property(near, one), one)
        }
        partners[near.place] = nearKeys
        if !isReflexive { partners[far.place] = farKeys }
    }

    private func column(_ place: Place) throws(DataStoreError) -> [Int64: Int64] {
        var keys: [Int64: Int64] = [:]
        try store.file.forEach(
            "SELECT Z_PK, \(place.column.quotedName) FROM \(place.table.quotedName)"
        ) { (row) throws(DataStoreError) in
            if let key = row[0].int, let other = row[1].int { keys[key] = other }
        }
        return keys
    }

    // MARK: Ids

    /// The rows of entities that become no items, because the model does not have them or calls them abstract, by table.
    func countOthers() -> [(table: String, rows: Int)] {
        entities.sorted { $0.key < $1.key }.map { table, rows in
            let known = layout.numbersOfTypes[table] ?? []
            return (table, rows.values.count { !known.contains($0) })
        }
    }

    /// The ids of the objects of a type.
    func ids(of kind: Layout.ItemKind) -> ObjectIDs {
        ids[kind.name] ?? ObjectIDs(store: store.uuid, entity: kind.name)
    }

    /// Whether there is a row of a type with a key.
    func has(_ key: Int64, of kind: Layout.ItemKind) -> Bool {
        entity(key, in: kind.table.name) == kind.number
    }
}

extension Layout.Link {
    /// The smallest number of others that the model demands; 0 where the others are of several types.
    var minimum: Int {
        if isSplit || relationship.isOptional { return 0 }
        return relationship.isToMany ? relationship.minimum : 1
    }

    /// The greatest number of others; `nil` for any number, and for one.
    var maximum: Int? {
        guard relationship.isToMany, relationship.maximum >= Swift.max(minimum, 1) else {
            return nil
        }
        return relationship.maximum
    }
}
